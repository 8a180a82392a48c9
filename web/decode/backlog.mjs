// The queues over time: what waits in each, what it has dropped, marked and sent; one row per device and sample.

import { CLASSFUL } from "./facts.mjs";
import { device, sampled } from "./queues.mjs";
import { each, floats, inSeconds, ints, order, Table } from "./table.mjs";

/** @typedef {import("./queues.mjs").Qdisc} Qdisc */
/** @typedef {import("./recorded.mjs").Recorded} Recorded */

/**
 * One queue at one instant, with its qdiscs in the order of the dump.
 * @typedef {{atNs: number, ns: number, index: number, qdiscs: Qdisc[]}} Sample
 */

/**
 * One row per queue and sample, and one at the end of the run. What waits and what is dropped is the leaf's: the pfifo
 * under a tbf. Of a queue with classes it is the qdisc's that has them, which counts also what is in no class, or just
 * taken out of one.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function backlog(run) {
  const places = new Map(run.layout.interfaces.filter((one) => one.queue).map((one) => [device(one), one]));
  const rows = sampled(run.qdiscs).filter((one) => places.has(device(one)) && one.kind !== "noqueue");
  const samples = bySample(rows);
  const held = samples.map((sample) => sample.qdiscs.filter(holding(sample.qdiscs)));
  const trees = rows.some(isTree);
  const kept = samples.map((_, i) => i).filter((i) => held[i].length > 0);
  const named = kept.map((i) => /** @type {import("./types.mjs").Device} */ (places.get(device(samples[i]))));
  /** @param {"backlog_bytes" | "backlog_packets" | "drops" | "marks" | "sent_bytes" | "sent_packets"} name */
  const sum = (name) => kept.map((i) => total(held[i], name));
  const leaves = kept.map((i) => samples[i].qdiscs.filter((one) => one.leaf));
  const marks = trees
    ? leaves.map((some) => (some.length > 0 ? total(some, "marks") : Number.NaN))
    : sum("marks");
  const roots = kept.map((i) => samples[i].qdiscs.find((one) => one.root)?.overlimits ?? Number.NaN);
  const host = each(named.map((one) => one.from));
  const peer = each(named.map((one) => one.to));
  const found = new Table({
    time_s: inSeconds(kept.map((i) => samples[i].atNs)),
    host,
    peer,
    interface: each(named.map((one) => one.name)),
    kind: each(kept.map((i) => held[i][0].kind)),
    backlog_bytes: ints(sum("backlog_bytes")),
    backlog_packets: ints(sum("backlog_packets")),
    drops: ints(sum("drops")),
    marks: whole(marks),
    sent_bytes: ints(sum("sent_bytes")),
    sent_packets: ints(sum("sent_packets")),
    overlimits: whole(roots),
  });
  const at = kept.map((i) => samples[i].atNs);
  const keys = [host, peer].map((column) => (/** @type {number} */ row) => column.values[row]);
  return found.pick(order(found.length, ...keys, (row) => at[row]));
}

/**
 * By time, namespace and device.
 * @param {readonly Qdisc[]} rows
 * @returns {Sample[]}
 */
function bySample(rows) {
  /** @type {Map<string, Sample>} */
  const found = new Map();
  for (const qdisc of rows) {
    const key = `${qdisc.atNs} ${device(qdisc)}`;
    const sample = found.get(key);
    if (sample !== undefined) sample.qdiscs.push(qdisc);
    else found.set(key, { atNs: qdisc.atNs, ns: qdisc.ns, index: qdisc.index, qdiscs: [qdisc] });
  }
  return [...found.values()].sort((a, b) => a.atNs - b.atNs || a.ns - b.ns || a.index - b.index);
}

/**
 * Has it classes?
 * @param {Qdisc} qdisc
 */
function isTree(qdisc) {
  return CLASSFUL.includes(qdisc.kind) && !qdisc.leaf;
}

/**
 * Which qdiscs of a device count what the whole queue does: what has classes, or else the leaves.
 * @param {readonly Qdisc[]} qdiscs
 */
function holding(qdiscs) {
  return qdiscs.some(isTree) ? isTree : (/** @type {Qdisc} */ qdisc) => qdisc.leaf;
}

/**
 * @param {readonly Qdisc[]} qdiscs
 * @param {"backlog_bytes" | "backlog_packets" | "drops" | "marks" | "sent_bytes" | "sent_packets"} name
 */
function total(qdiscs, name) {
  return qdiscs.reduce((sum, qdisc) => sum + qdisc[name], 0);
}

/**
 * Whole numbers, some of which may be missing (NaN).
 * @param {readonly number[]} values
 */
function whole(values) {
  return values.some(Number.isNaN) ? floats(values) : ints(values);
}
