import assert from "node:assert/strict";
import { test } from "node:test";
import { Records } from "../../../web/decode/raw.mjs";
import { Trace } from "../../../web/decode/trace.mjs";
import { EPOCH_NS, end, epoch, file, joined, pack, padded, record } from "./made.mjs";

const FORMAT = `name: seen
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int count;\toffset:4;\tsize:4;\tsigned:1;

print fmt: "%s", __print_symbolic(REC->count, { 1, "ONE" }, { 2, "TWO" })
`;
const LONGS = /** @type {const} */ (["32-bit", "64-bit"]);
/** @typedef {typeof LONGS[number]} Long */

/** @param {Long} long */
function headerPage(long) {
  const [size, data] = long === "32-bit" ? [4, 12] : [8, 16];
  return `\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:${size};\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:${data};\tsize:4080;\tsigned:1;
`;
}

/**
 * @param {Long} long
 * @param {bigint} time
 * @param {Uint8Array} events
 * @param {{flags?: number, behind?: Uint8Array, used?: number}} [more]
 */
function page(long, time, events, { flags = 0, behind = new Uint8Array(), used = events.length } = {}) {
  const commit = pack(long === "32-bit" ? "u4" : "u8", used + flags);
  return record("TRACE", joined(pack("u8", time), commit, events, behind));
}

/**
 * @param {number} kind
 * @param {number} delta
 */
const word = (kind, delta) => pack("u4", ((delta << 5) | kind) >>> 0);
/** @param {number} count */
const event = (count) => joined(pack("u2", 77, 0), pack("i4", count));
/**
 * @param {number} delta
 * @param {number} count
 */
const small = (delta, count) => joined(word(2, delta), event(count));
/**
 * @param {number} delta
 * @param {number} count
 */
const large = (delta, count) => joined(word(0, delta), pack("u4", 12), event(count));

/**
 * @param {Long} long
 * @param {...Uint8Array} pages
 */
function trace(long, ...pages) {
  const files = [file("events/header_page", headerPage(long)), file("events/made/seen/format", FORMAT)];
  return new Trace(new Records(joined(epoch(), ...files, ...pages, end({ lost: 3 }))));
}

/**
 * [time in ns, count] of each event.
 * @param {Trace} made
 */
function seen(made) {
  const found = made.occurrences("made/seen");
  return Array.from(found.atNs, (at, i) => [at, found.numbers("count")[i]]);
}

for (const long of LONGS) {
  test(`${long}: deltas add up, small events and large ones`, () => {
    const made = trace(long, page(long, EPOCH_NS, joined(small(5, 1), large(7, -2), small(0, 3))));
    assert.deepEqual(seen(made), [
      [5, 1],
      [12, -2],
      [12, 3],
    ]);
  });

  test(`${long}: a time extend moves the clock by a long step`, () => {
    const extend = joined(word(30, 6), pack("u4", 3));
    const made = trace(long, page(long, EPOCH_NS, joined(extend, small(1, 1))));
    assert.deepEqual(seen(made), [[3 * 2 ** 27 + 7, 1]]);
  });

  test(`${long}: a time stamp sets the clock`, () => {
    const stamp = joined(word(31, 9), pack("u4", 64));
    const made = trace(long, page(long, EPOCH_NS, joined(stamp, small(1, 1))));
    assert.deepEqual(seen(made), [[64 * 2 ** 27 + 10 - Number(EPOCH_NS), 1]]);
  });

  test(`${long}: padding is skipped, and ends a page if it has no length`, () => {
    const skipped = joined(word(29, 1), pack("u4", 8), pack("u4", 0));
    const rest = joined(word(29, 0), pack("u4", 0), pack("u4", 0));
    const made = trace(long, page(long, EPOCH_NS, joined(small(1, 1), skipped, small(1, 2), rest)));
    assert.deepEqual(seen(made), [
      [1, 1],
      [2, 2],
    ]);
  });

  test(`${long}: pages say how many events were lost before them`, () => {
    const lost = pack(long === "32-bit" ? "u4" : "u8", 41);
    const made = trace(long, page(long, EPOCH_NS, small(1, 1), { flags: 2 ** 31 + 2 ** 30, behind: lost }));
    assert.equal(made.lost, 41);
    assert.equal(trace(long, page(long, EPOCH_NS, small(1, 1))).lost, 3);
  });

  test(`${long}: damage is named with its place`, () => {
    const longer = trace(long, page(long, EPOCH_NS, small(1, 1), { used: 13 }));
    assert.throws(() => longer.events, /a trace page that says it is longer than it is/);
    const endless = trace(long, page(long, EPOCH_NS, word(20, 1)));
    assert.throws(() => endless.events, /a trace event without end/);
    const bare = trace(long, page(long, EPOCH_NS, joined(word(0, 1), pack("u4", 4))));
    assert.throws(() => bare.events, /a trace event without type/);
  });
}

test("numbers that the kernel names have their names beside them", () => {
  const table = trace("64-bit", page("64-bit", EPOCH_NS, joined(small(1e9 % 2 ** 27, 2), small(0, 5)))).table(
    "made/seen",
  );
  assert.deepEqual(
    table.rows().map((row) => [row.count, row.count_name]),
    [
      [2, "TWO"],
      [5, "5"],
    ],
  );
});

test("times are exact to the nanosecond beyond 2^53 ns, too", () => {
  const years = 2n ** 60n + 1n;
  const made = trace("64-bit", page("64-bit", EPOCH_NS + years, joined(small(2, 1), small(64, 2))));
  assert.deepEqual(
    seen(made).map(([at]) => at),
    [Number(years + 2n), Number(years + 66n)],
  );
});

test("events that came one by one are put in order of time", () => {
  const sample = (/** @type {bigint} */ at, /** @type {number} */ count) =>
    joined(pack("i8", at), pack("u4", 8, 0), padded(event(count)));
  const events = record("EVENTS", joined(sample(EPOCH_NS + 9n, 2), sample(EPOCH_NS + 4n, 1)));
  const made = new Trace(
    new Records(joined(epoch(), file("events/made/seen/format", FORMAT), events, end())),
  );
  assert.deepEqual(seen(made), [
    [4, 1],
    [9, 2],
  ]);
});

test("a format without ID is damage", () => {
  const raw = joined(file("events/made/seen/format", FORMAT.replace("ID", "id")), end());
  assert.throws(() => new Trace(new Records(raw)), /events\/made\/seen\/format is no event format/);
});
