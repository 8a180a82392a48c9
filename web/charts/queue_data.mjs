// One queue of the network: which one, what waited in it, what it dropped, how long each packet waited.

import { EmptyFigureError, FigureError, filled } from "./figure.mjs";
import { numbersOf, recorded, textsOf } from "./runs.mjs";
import { lastBefore } from "./sampling.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("../decode/types.mjs").LinkSpec} LinkSpec */
/** @typedef {readonly [host: string, peer: string]} Place a queue: whose it is, towards which host */
/** @typedef {{time_s: number, packets: number}} Length */
/** @typedef {{time_s: number, ms: number}} Wait */

const CURE = 'give the link a rate, such as rate="10mbit", and the experiment probes={"queue"}';

/**
 * "(host, peer)" as Python writes a tuple.
 * @param {Place} at
 */
function asTuple([host, peer]) {
  return `('${host}', '${peer}')`;
}

/**
 * The queue that held most packets.
 * @param {Result} result
 * @returns {Place}
 * @throws {EmptyFigureError}
 */
export function fullest(result) {
  const exact = recorded(result, "queue");
  const table = result.table(exact ? "queue" : "backlog");
  if (table.length === 0) filled([], "queue", "no packet reached a queue", CURE);
  const packets = numbersOf(table, exact ? "packets" : "backlog_packets");
  const [hosts, peers] = [table.column("host"), table.column("peer")];
  if (hosts.kind !== "name" || peers.kind !== "name") throw new TypeError("host and peer are names");
  let best = 0;
  for (let i = 1; i < table.length; i++) {
    const order =
      packets[best] - packets[i] ||
      hosts.values[i] - hosts.values[best] ||
      peers.values[i] - peers.values[best];
    if (order < 0) best = i;
  }
  return [String(table.value("host", best)), String(table.value("peer", best))];
}

/**
 * What waits in a queue. Exact at each arrival: before and after it. Between arrivals the queue only gets shorter: where
 * it ran empty, the moment is in it.
 * @param {Result} result
 * @param {Place} at
 * @returns {Length[]}
 */
export function lengthOf(result, at) {
  if (!recorded(result, "queue")) {
    const table = of(result.table("backlog"), at);
    const packets = numbersOf(table, "backlog_packets");
    return Array.from(numbersOf(table, "time_s"), (time_s, i) => ({ time_s, packets: packets[i] }));
  }
  const table = of(result.table("queue"), at);
  const [came, left, ahead] = ["enqueued_s", "dequeued_s", "packets"].map((name) => numbersOf(table, name));
  const order = [...came.keys()].sort((a, b) => came[a] - came[b]);
  /** @type {Length[]} */
  const found = [];
  let empty = Number.NaN; // when the last of those before had left
  for (const i of order) {
    if (ahead[i] === 0 && empty < came[i]) found.push({ time_s: empty, packets: 0 });
    found.push({ time_s: came[i], packets: ahead[i] }, { time_s: came[i], packets: ahead[i] + 1 });
    if (!(left[i] <= empty) && !Number.isNaN(left[i])) empty = left[i];
  }
  return found;
}

/**
 * Each packet that was dropped here, with what was waiting; none without the probe.
 * @param {Result} result
 * @param {Place} at
 * @returns {Length[]}
 */
export function dropsOf(result, at) {
  if (!recorded(result, "drops")) return [];
  const table = result.table("drops");
  const [places, hosts, peers] = ["place", "host", "peer"].map((name) => textsOf(table, name));
  const times = numbersOf(table, "time_s").filter(
    (_, i) => places[i] === "queue" && hosts[i] === at[0] && peers[i] === at[1],
  );
  const ordered = [...times.sort()];
  const packets = lastBefore(lengthOf(result, at), "packets", ordered);
  return ordered.map((time_s, i) => ({ time_s, packets: packets[i] }));
}

/**
 * How long the packet that came then waited.
 * @param {Result} result
 * @param {Place} at
 * @returns {Wait[]}
 * @throws {EmptyFigureError}
 */
export function waitOf(result, at) {
  if (recorded(result, "queue")) {
    const table = of(result.table("queue"), at);
    const waits = numbersOf(table, "wait_s");
    const all = Array.from(numbersOf(table, "enqueued_s"), (time_s, i) => ({ time_s, ms: 1000 * waits[i] }));
    return all.filter(({ ms }) => !Number.isNaN(ms));
  }
  const rate = rateOf(result, at);
  if (rate === null) {
    throw new EmptyFigureError(
      `delay: the link ${at[0]} to ${at[1]} has no rate: nothing waits there: ${CURE}`,
    );
  }
  const table = of(result.table("backlog"), at);
  const bytes = numbersOf(table, "backlog_bytes");
  return Array.from(numbersOf(table, "time_s"), (time_s, i) => ({ time_s, ms: (8000 * bytes[i]) / rate }));
}

/**
 * The rows of a queue.
 * @param {Table} table
 * @param {Place} at
 * @throws {EmptyFigureError}
 * @throws {FigureError}
 */
function of(table, at) {
  const [hosts, peers] = [textsOf(table, "host"), textsOf(table, "peer")];
  const mine = table.where((row) => hosts[row] === at[0] && peers[row] === at[1]);
  if (mine.length > 0) return mine;
  if (table.length > 0) {
    const known = new Set(hosts.map((host, i) => asTuple([host, peers[i]])));
    throw new FigureError(
      `at=${asTuple(at)}: no packet reached such a queue: there are ${[...known].join(", ")}`,
    );
  }
  filled([], "queue", `no packet reached the queue from ${at[0]} to ${at[1]}`, CURE);
  return mine;
}

/**
 * bit/s at which a queue is emptied: with ports, the speed of the slower one.
 * @param {Result} result
 * @param {Place} at
 * @returns {number | null}
 */
function rateOf(result, [host, peer]) {
  const { links } = result.recorded.experiment.topology;
  const found = links.find(({ a, b }) => (a === host && b === peer) || (a === peer && b === host));
  if (found === undefined) throw new FigureError(`at=${asTuple([host, peer])}: no such link`);
  const link = /** @type {LinkSpec & {nic_a?: {speed: number}, nic_b?: {speed: number}}} */ (found);
  const speeds = [link.nic_a, link.nic_b].flatMap((port) => (port ? [port.speed] : []));
  if (speeds.length > 0) return Math.min(...speeds);
  return (link.a === host ? link.forward : link.backward).rate;
}
