import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../../web/decode/csv.mjs";
import { unwrapped } from "../../../web/decode/relative_sequence.mjs";
import { each, floats, ints, order, sorted, Table, texts, wide } from "../../../web/decode/table.mjs";
import { Network } from "../../../web/results/drop_places.mjs";
import { Result } from "../../../web/results/result.mjs";
import { Timeline } from "../../../web/spec/timeline.mjs";
import { datagrams, usable } from "../../../web/traffic/fec.mjs";
import { end, flow, joined, manifest, pack, padded, record } from "./made.mjs";

test("sequence numbers go on beyond 2^32", () => {
  assert.deepEqual(unwrapped([2 ** 32 - 10, 5, 20], 2 ** 32 - 11), [1, 16, 31]);
});

test("one that is far from both its neighbours, a flipped bit, moves none of them", () => {
  assert.deepEqual(unwrapped([10, 20, 20 + 2 ** 30, 40, 50], 9), [1, 11, 11 + 2 ** 30, 31, 41]);
});

test("one captured before the SYN's number is below 0", () => {
  assert.deepEqual(unwrapped([90, 110], 100), [-10, 10]);
});

/**
 * A UDP datagram in Ethernet, its checksum left out.
 * @param {readonly number[]} payload
 */
function frame(payload) {
  const ip = new Uint8Array(20);
  const size = 28 + payload.length;
  ip.set([0x45, 0, size >> 8, size & 255, 0, 7, 0, 0, 64, 17, 0, 0, 10, 0, 1, 1, 10, 0, 3, 2]);
  let sum = 0;
  for (let at = 0; at < 20; at += 2) sum += (ip[at] << 8) | ip[at + 1];
  sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
  ip.set([sum >> 8, sum & 255], 10);
  const udp = [10000 >> 8, 10000 & 255, 20000 >> 8, 20000 & 255, 0, 8 + payload.length, 0, 0];
  return joined(new Uint8Array(12), Uint8Array.from([8, 0]), ip, Uint8Array.from([...udp, ...payload]));
}

/** @param {Uint8Array} bytes */
function captured(bytes) {
  const head = joined(pack("i8", 5), pack("u4", bytes.length, bytes.length, 0, 0));
  const raw = joined(record("PACKETS", joined(pack("u4", 10, 1), head, padded(bytes, 4))), end());
  const device = {
    index: 10,
    ns: 0,
    name: "eth0",
    host: "right",
    peer: "left",
    role: "host",
    mac: "",
    queue: false,
  };
  const made = manifest();
  const layout = { ...made.layout, flows: [flow()], interfaces: [{ ...device, from: "right", to: "left" }] };
  const experiment = { ...made.experiment, capture: [{ host: "right", interface: null }] };
  return new Result(raw, { experiment, layout });
}

test("a captured datagram is a row, with its flow and the state of its checksum", () => {
  const [row] = captured(frame([1, 2, 3]))
    .packetTable("right")
    .rows();
  const { flow: name, way, src, protocol, sport, ip_id, payload, length, checksum, direction, time_s } = row;
  assert.deepEqual(
    { name, way, src, protocol, sport, ip_id, payload, length, checksum, direction, time_s },
    {
      name: "left-right",
      way: "data",
      src: "10.0.1.1",
      protocol: "udp",
      sport: 10000,
      ip_id: 7,
      payload: 3,
      length: 45,
      checksum: "good",
      direction: "in",
      time_s: 5e-9,
    },
  );
});

test("a flipped bit of the IP header is a bad checksum, what was cut off is not known", () => {
  const flipped = frame([1, 2, 3]);
  flipped[14 + 8] ^= 1;
  assert.equal(captured(flipped).packetTable("right").value("checksum", 0), "bad");
  const result = captured(frame([1, 2, 3]).subarray(0, 20));
  assert.equal(result.packetTable("right").value("protocol", 0), null);
  assert.equal(result.packetTable("right").value("checksum", 0), "unknown");
});

test("a capture file begins as pcapng does, and is made of whole blocks", () => {
  const bytes = captured(frame([1])).pcapng();
  const view = new DataView(bytes.buffer);
  const kinds = [];
  for (let at = 0; at < bytes.length; at += view.getUint32(at + 4, true)) {
    const size = view.getUint32(at + 4, true);
    assert.equal(view.getUint32(at + size - 4, true), size);
    kinds.push(view.getUint32(at, true));
  }
  assert.deepEqual(kinds, [0x0a0d0d0a, 1, 6]);
});

test("a table as CSV: what is missing is empty, what needs quotes has them, numbers are exact", () => {
  const table = new Table({
    'a "b"': texts(["x,y", "line\nbreak"]),
    number: floats([0.1 + 0.2, Number.NaN]),
    large: wide(
      2,
      (i) => [2 ** 64, 1][i],
      (i) => [2n ** 64n - 1n, 1n][i],
      false,
    ),
  });
  assert.equal(
    csv(table),
    '"a ""b""",number,large\r\n"x,y",0.30000000000000004,18446744073709551615\r\n"line\nbreak",,1\r\n',
  );
});

test("columns have one length", () => {
  assert.throws(() => new Table({ a: ints([1, 2]), b: ints([1]) }), /column b has 1 rows, not 2/);
  assert.throws(() => new Table({ a: ints([1]) }).column("c"), /no column c: there are a/);
});

test("names are sorted by code points, rows by several keys, equals as they were", () => {
  assert.deepEqual(sorted(["b", "\u{1f600}", "\uffff", "B"]), ["B", "b", "\uffff", "\u{1f600}"]);
  const keys = [3, 1, 3, 2];
  assert.deepEqual(Array.from(order(4, (i) => keys[i])), [1, 3, 0, 2]);
  assert.deepEqual(each(["y", null, "x"]).names, ["x", "y"]);
});

test("a block code restores a block from any of its datagrams, as soon as enough are there", () => {
  const code = /** @type {const} */ ({ kind: "reed_solomon", k: 2, n: 3 });
  const plan = datagrams(code, 3);
  assert.deepEqual(
    plan.map((one) => one.packet),
    [0, 1, -1, 2, -1],
  );
  const never = Number.NaN;
  const found = usable(code, 3, plan, [1, never, 3, never, 5]);
  assert.deepEqual(found, { received: [1, never, never], usableS: [1, 3, 5] });
});

test("a packet that was repeated is there when the first copy is", () => {
  const code = /** @type {const} */ ({ kind: "repetition", copies: 2, gap: 1 });
  const plan = datagrams(code, 2);
  assert.deepEqual(
    plan.map((one) => one.packet),
    [0, 1, 0, 1],
  );
  assert.deepEqual(usable(code, 2, plan, [Number.NaN, 2, 3, 4]).usableS, [3, 2]);
});

test("a change of a link holds from its time on, whichever way round it names the link", () => {
  const way = { rate: 1e7, queue: null, loss: null, wire_limit: null };
  const link = { a: "r1", b: "r2", forward: way, backward: way };
  const change = { kind: "link", at: 2, link: ["r2", "r1"], direction: "forward", set: { rate: 5e6 } };
  const experiment = { ...manifest().experiment, topology: { links: [link] }, changes: [change] };
  const timeline = new Timeline(/** @type {any} */ (experiment));
  assert.equal(timeline.direction("r2", "r1", 1.999).rate, 1e7);
  assert.equal(timeline.direction("r2", "r1", 2).rate, 5e6);
  assert.equal(timeline.direction("r2", "r1", 2).queue?.packets, 100);
  assert.equal(timeline.direction("r1", "r2", 2).rate, 1e7);
});

test("the next hop is a neighbour, or where the first route that fits leads", () => {
  const hosts = {
    left: {
      ns: 0,
      addresses: { r1: "10.0.1.1" },
      routes: [
        ["10.9.0.0/16", "10.0.1.9"],
        ["default", "10.0.1.2"],
      ],
    },
    r1: { ns: 1, addresses: { left: "10.0.1.2" }, routes: [] },
  };
  const network = new Network(/** @type {any} */ ({ ...manifest().layout, hosts }));
  assert.equal(network.nextHop("left", "10.0.1.2").peer, "r1");
  assert.equal(network.nextHop("left", "192.0.2.1").peer, "r1");
  assert.deepEqual(network.nextHop("left", "10.9.1.1"), { peer: "r1", via: "10.0.1.9" });
  assert.equal(network.nextHop("r1", "192.0.2.1").peer, "");
});
