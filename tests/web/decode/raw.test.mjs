import assert from "node:assert/strict";
import { test } from "node:test";
import { RawFormatError } from "../../../web/decode/bytes.mjs";
import { Records } from "../../../web/decode/raw.mjs";
import { Result } from "../../../web/results/result.mjs";
import { end, epoch, file, joined, manifest, pack, record, text } from "./made.mjs";

test("records are found by type, in order", () => {
  const raw = joined(epoch(), record("STATE", pack("u4", 7, 1), { ns: 3, atNs: 5 }), end({ reason: 2 }));
  const records = new Records(raw);
  const [state] = records.of("STATE", 8);
  assert.deepEqual([records.ns(state), records.atNs(state), records.size(state)], [3, 5, 8]);
  assert.equal(records.endReason, "limit");
  assert.equal(records.monotonicNs, 3_000_000_000n);
  assert.equal(records.lastNs, 1e9);
  assert.equal(records.truncated, false);
});

test("a file that stops anywhere keeps what is before", () => {
  const whole = joined(epoch(), end());
  for (let length = epoch().length; length < whole.length; length++) {
    const records = new Records(whole.subarray(0, length));
    assert.equal(records.of("EPOCH").length, 1);
    assert.equal(records.truncated, true);
    assert.equal(records.endReason, null);
  }
});

test("an empty file is a truncated one", () => {
  assert.equal(new Records(new Uint8Array()).truncated, true);
});

for (const [what, bytes] of Object.entries({
  "an unknown type": record(63, pack("u4", 0)),
  "a time before the set-up": record("STATE", pack("u4", 0), { atNs: -2 }),
  "a size below that of its header": joined(pack("u2", 64, 0), pack("u4", 8), pack("i8", 0)),
})) {
  test(`${what} is damage, named with its place`, () => {
    const at = epoch().length;
    assert.throws(() => new Records(joined(epoch(), bytes)), {
      name: "RawFormatError",
      message: new RegExp(`^raw file damaged at byte ${at}: no record starts here`),
    });
  });
}

test("a newer agent's records are left alone", () => {
  assert.equal(new Records(joined(record(120, text("new")), end())).endReason, "complete");
});

test("a record too short for its struct is damage", () => {
  const records = new Records(joined(record("FLOW", pack("u4", 1)), end()));
  assert.throws(
    () => records.heads("FLOW"),
    new RawFormatError("a record of type FLOW has 4 bytes of payload, needs 72", 16),
  );
});

test("a file is a path and a text", () => {
  const records = new Records(joined(file("/proc/x", "a\0b", { phase: 1, ns: 4 }), end()));
  const [found] = records.files();
  assert.deepEqual([found.path, found.text, found.phase, found.ns], ["/proc/x", "a\0b", 1, 4]);
});

test("what the agent refused is a row, with errno's name", () => {
  const body = joined(pack("u4", 3, 1), pack("i4", 111), pack("u4", 0), text("no\0rest"));
  const raw = joined(record("ERROR", body, { atNs: -1 }), record("ERROR", body, { atNs: 2e9 }), end());
  const table = new Result(raw, manifest()).table("errors");
  assert.deepEqual(table.rows(), [
    { time_s: null, record: 3, message: 1, error: "ECONNREFUSED", text: "no" },
    { time_s: 2, record: 3, message: 1, error: "ECONNREFUSED", text: "no" },
  ]);
});

test("a table that needs a probe says which", () => {
  const result = new Result(end(), manifest());
  assert.throws(() => result.table("cong_states"), /run again with probes=\{"recovery"\}/);
  assert.throws(() => result.table("tcp_probe"), /nothing to trace: no TCP flow/);
  assert.throws(() => result.table("cwnd"), /no table cwnd: the tables are aqm, backlog/);
});

test("a packet that was not captured: what to do is said", () => {
  assert.throws(
    () => new Result(end(), manifest()).packetTable("left"),
    /nothing was captured: run again with capture=/,
  );
});
