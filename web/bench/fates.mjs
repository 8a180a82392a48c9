// What became of each captured packet: sent again, or lost, as far as its host can tell and the ledger says.

import { numbersOf, textsOf } from "../charts/runs.mjs";

/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {{again: Uint8Array, lost: (string | null)[]}} Fates again: 1 for data that was on its way before; lost: why */

/**
 * @param {Table} packets of one host
 * @param {Table | null} ledger null: there is none
 * @returns {Fates}
 */
export function fatesOf(packets, ledger) {
  return { again: resent(packets), lost: lostOf(packets, ledger) };
}

/**
 * Data of TCP whose first byte had passed here before, in the same direction and on the same interface.
 * @param {Table} packets
 */
function resent(packets) {
  const [flows, ways, sides] = ["flow", "way", "direction"].map((name) => textsOf(packets, name));
  const [interfaces, protocols] = ["interface", "protocol"].map((name) => textsOf(packets, name));
  const [seq, payload] = ["seq", "payload"].map((name) => numbersOf(packets, name));
  /** @type {Map<string, number>} */
  const reached = new Map();
  return Uint8Array.from({ length: packets.length }, (_, i) => {
    if (protocols[i] !== "tcp" || payload[i] === 0) return 0;
    const key = [flows[i], ways[i], sides[i], interfaces[i]].join("\n");
    const end = reached.get(key) ?? Number.NEGATIVE_INFINITY;
    reached.set(key, Math.max(end, seq[i] + payload[i]));
    return seq[i] < end ? 1 : 0;
  });
}

/**
 * The cause of its loss, of packets that were lost after they left here.
 * @param {Table} packets
 * @param {Table | null} ledger
 * @returns {(string | null)[]}
 */
function lostOf(packets, ledger) {
  if (ledger === null) return Array(packets.length).fill(null);
  /** @type {Map<string, string>} */
  const causes = new Map();
  const whose = (/** @type {(string | number)[]} */ ...parts) => parts.join("\n");
  const [flows, ways, whys] = ["flow", "way", "cause"].map((name) => textsOf(ledger, name));
  const [sent, first, bytes] = ["sent_s", "seq", "payload"].map((name) => numbersOf(ledger, name));
  for (let i = 0; i < ledger.length; i++) {
    causes.set(whose(flows[i], ways[i], sent[i], first[i], bytes[i]), whys[i]);
  }
  const [flow, way, side] = ["flow", "way", "direction"].map((name) => textsOf(packets, name));
  const [at, seq, ack, payload] = ["time_s", "seq", "ack", "payload"].map((name) => numbersOf(packets, name));
  return flow.map((name, i) => {
    if (side[i] !== "out") return null;
    const number = (/** @type {number} */ n) => causes.get(whose(name, way[i], at[i], n, payload[i]));
    return number(seq[i]) ?? (payload[i] === 0 ? number(ack[i]) : undefined) ?? null; // pure ACKs: by what they say
  });
}
