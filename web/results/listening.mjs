// What a listening socket had no room for: SYNs without an answer, and segments for a connection that nobody accepted.
// The kernel frees the first as if they had been of use, and the others without a reason, as it does with what comes
// for a connection being closed; what the host sent tells which is which.

import { LEDGER } from "../decode/facts.mjs";
import { dissect, TCP } from "../decode/headers.mjs";

/** @typedef {import("../decode/drop_monitor.mjs").Drops} Drops */
/** @typedef {import("../decode/headers.mjs").Headers} Headers */
/** @typedef {import("./result.mjs").Result} Result */
/**
 * When one end of a connection sent something, and whether it was a SYN.
 * @typedef {{atNs: number, syn: boolean}} Sent
 */
/**
 * syns: numbers of the frames; reason: theirs; segments: numbers of the drops.
 * @typedef {{syns: number[], reason: string, segments: number[]}} Unheard
 */

export const UNSAID = "NOT_SPECIFIED";
const PLACE = "tcp_v4_rcv";
const DROPS = "TcpExtListenDrops";
const OVERFLOWS = "TcpExtListenOverflows";
const SYN = 2;
const ACK = 16;
const AT_ONCE_NS = 1_000_000; // the lab's processor answers within the instant; a SYN-ACK's timer takes a second

/**
 * What the listening sockets of a run, captured where they are, had no room for (ListenDrops). A host of which some
 * SYNs met a full SYN queue and others a full accept queue is said to have had the latter.
 * @param {Result} result
 * @param {Drops} drops
 * @returns {Unheard}
 */
export function unheard(result, drops) {
  const { frames, layout } = result.recorded;
  const { busy, overflown } = counted(result);
  const reason = overflown ? LEDGER.overflow : UNSAID;
  const here = layout.interfaces.filter((one) => one.role === "host" && busy.has(one.host));
  if (here.length === 0) return { syns: [], reason, segments: [] };
  const devices = new Set(here.map((one) => one.index));
  const rows = [];
  for (let i = 0; i < frames.length; i++) if (devices.has(frames.interface[i])) rows.push(i);
  const mine = frames.pick(rows);
  const headers = dissect(mine);
  const sent = sentBy(mine, headers);
  const syns = rows.filter((_, i) => {
    const opening = (headers.flags[i] & (SYN | ACK)) === SYN && headers.protocol[i] === TCP;
    if (mine.outgoing[i] || !opening) return false;
    const at = mine.atNs[i];
    const answers = sent.get(back(headers, i)) ?? [];
    return !answers.some(({ atNs }) => at <= atNs && atNs <= at + AT_ONCE_NS);
  });
  return { syns, reason, segments: forNobody(drops, devices, sent) };
}

/**
 * The hosts that had no room for something, and whether any had none for a connection that was there.
 * @param {Result} result
 */
function counted(result) {
  const table = result.table("counters");
  /** @type {Set<string>} */
  const busy = new Set();
  let overflown = false;
  for (let i = 0; i < table.length; i++) {
    const name = table.value("name", i);
    if ((name !== DROPS && name !== OVERFLOWS) || Number(table.value("delta", i)) <= 0) continue;
    if (name === DROPS) busy.add(String(table.value("host", i)));
    else overflown = true;
  }
  return { busy, overflown };
}

/**
 * For the two ends of each connection when one sent what.
 * @param {import("../decode/frames.mjs").Frames} frames
 * @param {Headers} headers
 */
function sentBy(frames, headers) {
  /** @type {Map<string, Sent[]>} */
  const found = new Map();
  for (let i = 0; i < frames.length; i++) {
    if (!frames.outgoing[i] || headers.protocol[i] !== TCP) continue;
    const what = { atNs: frames.atNs[i], syn: (headers.flags[i] & SYN) !== 0 };
    const ends = there(headers, i);
    const known = found.get(ends);
    if (known === undefined) found.set(ends, [what]);
    else known.push(what);
  }
  return found;
}

/**
 * @param {Headers} headers
 * @param {number} i
 */
function there({ src, sport, dst, dport }, i) {
  return `${src[i]} ${sport[i]} ${dst[i]} ${dport[i]}`;
}

/**
 * @param {Headers} headers
 * @param {number} i
 */
function back({ src, sport, dst, dport }, i) {
  return `${dst[i]} ${dport[i]} ${src[i]} ${sport[i]}`;
}

/**
 * Drops without a reason of connections in which the host had sent nothing but SYN-ACKs.
 * @param {Drops} drops
 * @param {ReadonlySet<number>} devices
 * @param {ReadonlyMap<string, readonly Sent[]>} sent
 */
function forNobody({ frames, functions, reasons }, devices, sent) {
  const rows = functions.flatMap((name, i) => {
    const plain = name === PLACE && reasons[i] === UNSAID;
    return plain && devices.has(frames.interface[i]) ? [i] : [];
  });
  const headers = dissect(frames.pick(rows));
  return rows.filter((row, i) => {
    const before = (sent.get(back(headers, i)) ?? []).filter(({ atNs }) => atNs <= frames.atNs[row]);
    const acking = (headers.flags[i] & (SYN | ACK)) === ACK;
    return acking && before.length > 0 && before.every(({ syn }) => syn);
  });
}
