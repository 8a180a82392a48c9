// Every packet in every queue, from the events qdisc_enqueue, qdisc_dequeue and kfree_skb.
// A packet is known by the number that the agent gave to its address (skbaddr). What is in a queue ends there in
// one of three ways: it is dequeued, it is freed, or the run ends. A device with byte queue limits takes several at once:
// the event names the first and says how many, the others leave with it, in the order in which they came.

import { flags, inSeconds, ints, named, sorted, Table } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./trace.mjs").Occurrences} Occurrences */

const CAME = "qdisc/qdisc_enqueue";
const LEFT = "qdisc/qdisc_dequeue";
const FREED = "skb/kfree_skb";

/**
 * A packet's stay in a queue: the device, when it came and when it left (ns; NaN: it did not), whether it was thrown
 * away, and how many packets were there when it came. from, to: places among all events; isUnseen: no event tells of
 * its end.
 * @typedef {{index: number, cameNs: number, leftNs: number, dropped: boolean, packets: number, from: number, to: number,
 *   isUnseen: boolean}} Stay
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
  /** @type {Map<number, {atNs: number, place: number}[]>} */
  const chances = new Map(); // device -> to leave behind another
  for (const { kind, atNs, place, packet, index, behind } of inOrder(trace, devices)) {
    const stay = here.get(packet);
    if (stay !== undefined) {
      const isSeen = kind === LEFT && index === stay.index;
      Object.assign(stay, { to: place, dropped: !isSeen, isUnseen: kind === CAME });
      if (isSeen) stay.leftNs = atNs;
      here.delete(packet);
    }
    if (kind === CAME) {
      const open = { leftNs: Number.NaN, dropped: false, to: Infinity, isUnseen: true };
      const begun = { index, cameNs: atNs, from: place, packets: 0, ...open };
      found.push(begun);
      here.set(packet, begun);
    }
    for (let i = 0; i < behind; i++) {
      if (!chances.has(index)) chances.set(index, []);
      chances.get(index)?.push({ atNs, place });
    }
  }
  for (const device of devices) {
    const mine = found.filter((stay) => stay.index === device);
    leaveBehind(mine, chances.get(device) ?? []);
    count(mine);
  }
  return found;
}

/**
 * Who is not seen to leave takes the first chance after it came that none before it has taken.
 * @param {Stay[]} mine of one device
 * @param {{atNs: number, place: number}[]} chances
 */
function leaveBehind(mine, chances) {
  let next = 0;
  for (const stay of mine) {
    if (!stay.isUnseen) continue;
    while (next < chances.length && chances[next].place <= stay.from) next += 1;
    if (next === chances.length) return;
    Object.assign(stay, { leftNs: chances[next].atNs, to: chances[next].place, dropped: false });
    next += 1;
  }
}

/**
 * How many are there when each comes.
 * @param {Stay[]} mine of one device
 */
function count(mine) {
  const ends = mine.map((stay) => stay.to).sort((one, other) => one - other);
  let gone = 0;
  mine.forEach((stay, i) => {
    while (gone < ends.length && ends[gone] < stay.from) gone += 1;
    stay.packets = i - gone;
  });
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
    const many = kind === LEFT ? events.numbers("packets") : null;
    return { kind, events, index, many, packet: events.numbers("skbaddr"), next: 0 };
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
    const { atNs, place } = part.events;
    const behind = part.many === null ? 0 : Math.max(part.many[i] - 1, 0);
    yield { kind: part.kind, atNs: atNs[i], place: place[i], packet: part.packet[i], index, behind };
  }
}
