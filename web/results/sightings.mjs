// Where each packet was seen: handed to a device, arriving at its host, freed as lost. Linux gives every packet of a
// connected socket, retransmissions too, the next identification; it wraps after 65,536 packets, so what is seen later
// belongs to the last such packet sent before.

import { LEDGER } from "../decode/facts.mjs";
import { again, mend } from "./damaged.mjs";
import { sortedPlace } from "./search.mjs";

/** @typedef {import("../decode/frames.mjs").Frames} Frames */
/** @typedef {import("./identity.mjs").Sighted} Sighted */

export const NONE = -1;

/**
 * Packets that hosts sent, in the order of time, and what became of each. arrivedNs: since the epoch, -1: it did not;
 * copies: how often it arrived; drop: number of the drop, -1: none.
 * @typedef {{frames: Frames, arrivedNs: Float64Array, copies: Int32Array, drop: Int32Array}} Sightings
 */

/**
 * Put together what was seen of each packet.
 * @param {Sighted} sent
 * @param {Sighted} arrived
 * @param {Sighted} drops without those of packets that reached a socket
 * @param {ArrayLike<number>} flips in how many bits each of the drops may differ from what was sent
 * @returns {Sightings}
 */
export function sightings(sent, arrived, drops, flips) {
  const found = belonging(sent, arrived, drops, flips);
  const arrivedNs = new Float64Array(sent.length).fill(NONE);
  const copies = new Int32Array(sent.length);
  const drop = new Int32Array(sent.length).fill(NONE);
  found.arrival.forEach((packet, i) => {
    if (packet < 0) return;
    if (copies[packet]++ === 0) arrivedNs[packet] = arrived.frames.atNs[i];
  });
  found.drop.forEach((packet, i) => {
    if (packet >= 0 && drop[packet] < 0) drop[packet] = i;
  });
  return { frames: sent.frames, arrivedNs, copies, drop };
}

/**
 * For each frame that arrived, and for each drop, the number of the packet sent that it is; -1: of none.
 * @param {Sighted} sent
 * @param {Sighted} arrived
 * @param {Sighted} drops
 * @param {ArrayLike<number>} flips
 * @returns {{arrival: Int32Array, drop: Int32Array}}
 */
export function belonging(sent, arrived, drops, flips) {
  const rows = byIdentity(sent);
  const arrival = matched(sent, arrived, rows);
  const drop = matched(sent, drops, rows);
  const exact = arrival.slice();
  mend(sent.frames, arrived.frames, arrival, drop, new Int32Array(arrived.length).fill(LEDGER.few));
  again(arrived.frames, arrival, drops.frames, drop);
  mend(sent.frames, drops.frames, drop, exact, flips);
  share(sent.identity, [
    { atNs: arrived.frames.atNs, match: arrival },
    { atNs: drops.frames.atNs, match: drop },
  ]);
  return { arrival, drop };
}

/**
 * The packets of each identity, in the order of time.
 * @param {Sighted} sent
 * @returns {Map<number, number[]>}
 */
function byIdentity({ identity }) {
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  identity.forEach((number, i) => {
    const known = rows.get(number);
    if (known === undefined) rows.set(number, [i]);
    else known.push(i);
  });
  return rows;
}

/**
 * For each frame seen the number of the packet sent, the last of its identity before it; -1: none.
 * @param {Sighted} sent
 * @param {Sighted} seen
 * @param {ReadonlyMap<number, readonly number[]>} rows
 */
function matched({ frames }, { frames: { atNs }, identity, trusted }, rows) {
  return Int32Array.from(identity, (number, i) => {
    const mine = trusted[i] ? rows.get(number) : undefined;
    return mine?.findLast((row) => frames.atNs[row] <= atNs[i]) ?? NONE;
  });
}

/**
 * For packets of one identity that were under way together (SYN-ACKs all have identification 0): of several sightings
 * of the last one, the first are of those before it that were seen nowhere. Changes `match` in place.
 * @param {Int32Array} identity of each packet sent
 * @param {readonly {atNs: Float64Array, match: Int32Array}[]} parts
 */
function share(identity, parts) {
  const counts = new Int32Array(identity.length);
  for (const { match } of parts) for (const packet of match) if (packet >= 0) counts[packet]++;
  const seen = manyTimes(counts, parts);
  const wanted = new Set([...seen.keys()].map((packet) => identity[packet]));
  /** @type {Map<number, number[]>} */
  const unseen = new Map();
  counts.forEach((count, packet) => {
    if (count > 0 || !wanted.has(identity[packet])) return;
    const known = unseen.get(identity[packet]);
    if (known === undefined) unseen.set(identity[packet], [packet]);
    else known.push(packet);
  });
  for (const packet of [...seen.keys()].sort((a, b) => a - b)) {
    const mine = unseen.get(identity[packet]) ?? [];
    const all = /** @type {NonNullable<ReturnType<typeof seen.get>>} */ (seen.get(packet));
    const rows = all.sort((a, b) => a.atNs - b.atNs).slice(0, -1);
    const end = sortedPlace(mine, packet, "left");
    const begin = Math.max(end - rows.length, 0);
    mine.splice(begin, end - begin).forEach((other, i) => {
      rows[i].match[rows[i].row] = other;
    });
  }
}

/**
 * The sightings of each packet that was seen more than once.
 * @param {Int32Array} counts
 * @param {readonly {atNs: Float64Array, match: Int32Array}[]} parts
 */
function manyTimes(counts, parts) {
  /** @type {Map<number, {atNs: number, match: Int32Array, row: number}[]>} */
  const found = new Map();
  for (const { atNs, match } of parts) {
    match.forEach((packet, row) => {
      if (packet < 0 || counts[packet] < 2) return;
      const known = found.get(packet) ?? [];
      known.push({ atNs: atNs[row], match, row });
      found.set(packet, known);
    });
  }
  return found;
}
