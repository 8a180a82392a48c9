// Every packet in every queue, from the events qdisc_enqueue, qdisc_dequeue and kfree_skb.
// A packet is known by the number that the agent gave to its address (skbaddr). What is in a queue ends there in
// one of three ways: it is dequeued, it is freed, or the run ends.

import { flags, inSeconds, ints, named, sorted, Table } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./trace.mjs").Occurrences} Occurrences */

const CAME = "qdisc/qdisc_enqueue";
const LEFT = "qdisc/qdisc_dequeue";
const FREED = "skb/kfree_skb";

/**
 * A packet's stay in a queue: the device, when it came and when it left (ns; NaN: it did not), whether it was thrown
 * away, and how many packets were there when it came.
 * @typedef {{index: number, cameNs: number, leftNs: number, dropped: boolean, packets: number}} Stay
 */

/**
 * One row per packet that a queue took.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function queue(run) {
  const devices = run.layout.interfaces.filter((device) => device.queue);
  const found = stays(run, new Set(devices.map((device) => device.index)));
  const [hosts, peers] = [devices.map((device) => device.from), devices.map((device) => device.to)].map(
    (names) => sorted(new Set(names)),
  );
  const codes = new Map(
    devices.map((device) => [device.index, [hosts.indexOf(device.from), peers.indexOf(device.to)]]),
  );
  /** @param {0 | 1} end */
  const ends = (end) =>
    Int32Array.from(found, (stay) => /** @type {number[]} */ (codes.get(stay.index))[end]);
  return new Table({
    enqueued_s: inSeconds(found.map((stay) => stay.cameNs)),
    host: named(ends(0), hosts),
    peer: named(ends(1), peers),
    packets: ints(found.map((stay) => stay.packets)),
    dequeued_s: inSeconds(found.map((stay) => stay.leftNs)),
    wait_s: inSeconds(found.map((stay) => stay.leftNs - stay.cameNs)),
    dropped: flags(found.map((stay) => stay.dropped)),
  });
}

/**
 * @param {Recorded} run
 * @param {Set<number>} devices with a queue, by index
 * @returns {Stay[]} in the order in which they began
 */
function stays({ trace }, devices) {
  /** @type {Stay[]} */
  const found = [];
  /** @type {Map<number, Stay>} */
  const here = new Map(); // packet -> its stay
  /** @type {Map<number, number>} */
  const waiting = new Map(); // device -> packets
  for (const { kind, atNs, packet, index } of inOrder(trace, devices)) {
    const stay = here.get(packet);
    const there = waiting.get(index) ?? 0; // itself too, if it left unseen and comes again
    if (stay !== undefined) {
      stay.dropped = kind !== LEFT || index !== stay.index;
      if (!stay.dropped) stay.leftNs = atNs;
      waiting.set(stay.index, (waiting.get(stay.index) ?? 0) - 1);
      here.delete(packet);
    }
    if (kind === CAME) {
      const begun = { index, cameNs: atNs, leftNs: Number.NaN, dropped: false, packets: there };
      found.push(begun);
      here.set(packet, begun);
      waiting.set(index, (waiting.get(index) ?? 0) + 1);
    }
  }
  return found;
}

/**
 * The events of three kinds as they happened.
 * @param {import("./trace.mjs").Trace} trace
 * @param {Set<number>} devices
 */
function* inOrder(trace, devices) {
  const parts = [CAME, LEFT, FREED].map((kind) => {
    const events = trace.occurrences(kind);
    const index = kind === FREED ? null : events.numbers("ifindex");
    return { kind, events, index, packet: events.numbers("skbaddr"), next: 0 };
  });
  for (;;) {
    let part = null;
    for (const one of parts) {
      const sooner = part === null || one.events.place[one.next] < part.events.place[part.next];
      if (one.next < one.events.length && sooner) part = one;
    }
    if (part === null) return;
    const i = part.next++;
    const index = part.index === null ? 0 : part.index[i];
    if (part.index !== null && !devices.has(index)) continue;
    yield { kind: part.kind, atNs: part.events.atNs[i], packet: part.packet[i], index };
  }
}
