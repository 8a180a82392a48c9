// What a sender did about losses, as far as a run recorded it: recoveries, timeouts, segments sent again.

import { numbersOf, recorded, senders, textsOf } from "./runs.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {"recovery" | "tcp_info" | "drops"} Source */
/** @typedef {{time_s: number, flow: string, event: string, series: string}} Event series: the flow */
/** @typedef {{time_s: number, series: string, count: number}} Again series: the flow */

/** @type {Readonly<Record<string, string>>} */
const EVENTS = {
  Recovery: "fast recovery",
  Loss: "timeout",
  CWR: "window reduced (ECN or own queue)",
};
export const LOST = "packet lost";
const STATES = ["Open", "Disorder", "CWR", "Recovery", "Loss"]; // TCP_CA_... of linux/tcp.h, by number
/** @type {readonly Source[]} */
const SOURCES = ["recovery", "tcp_info", "drops"];

/**
 * The best that the run recorded. recovery: every change of state; tcp_info: samples, between which a short recovery is
 * missed; drops: the losses themselves, in place of what the sender did.
 * @param {Result} result
 * @returns {Source}
 */
export function sourceOf(result) {
  return SOURCES.find((source) => recorded(result, source)) ?? "recovery";
}

/**
 * Each entry into fast recovery, timeout or window reduction; or each loss.
 * @param {Result} result
 * @returns {Event[]}
 */
export function eventsOf(result) {
  const source = sourceOf(result);
  if (source === "drops") return lossesOf(result.table("drops"));
  const exact = source === "recovery";
  const table = senders(result.table(exact ? "cong_states" : "tcp_info"), exact ? "state" : "ca_state");
  const states = exact
    ? textsOf(table, "state")
    : Array.from(numbersOf(table, "ca_state"), (number) => STATES[number] ?? "");
  const [times, flows] = [numbersOf(table, "time_s"), textsOf(table, "flow")];
  /** @type {Map<string, string>} */
  const before = new Map();
  /** @type {Event[]} */
  const found = [];
  states.forEach((state, i) => {
    const entered = state !== (before.get(flows[i]) ?? "Open");
    before.set(flows[i], state);
    if (entered && Object.hasOwn(EVENTS, state)) {
      found.push({ time_s: times[i], flow: flows[i], event: EVENTS[state], series: flows[i] });
    }
  });
  return found;
}

/**
 * @param {Table} drops
 * @returns {Event[]}
 */
function lossesOf(drops) {
  const [way, flow] = [textsOf(drops, "way"), textsOf(drops, "flow")];
  const arrived = numbersOf(drops, "arrived");
  const lost = [...way.keys()].filter((i) => way[i] === "data" && !arrived[i] && flow[i] !== "");
  const times = numbersOf(drops, "time_s");
  return lost.map((i) => ({ time_s: times[i], flow: flow[i], event: LOST, series: flow[i] }));
}

/**
 * Each segment sent again; by TCP_INFO's samples several in one row; or none.
 * @param {Result} result
 * @returns {Again[]}
 */
export function retransmissionsOf(result) {
  const source = sourceOf(result);
  if (source === "drops") return [];
  const exact = source === "recovery";
  const columns = exact ? [] : ["total_retrans"];
  const table = senders(result.table(exact ? "retransmissions" : "tcp_info"), ...columns);
  const [times, flows] = [numbersOf(table, "time_s"), textsOf(table, "flow")];
  if (exact) return flows.map((series, i) => ({ time_s: times[i], series, count: 1 }));
  const total = numbersOf(table, "total_retrans");
  /** @type {Map<string, number>} */
  const before = new Map();
  const grown = flows.map((flow, i) => {
    const count = total[i] - (before.get(flow) ?? 0);
    before.set(flow, total[i]);
    return { time_s: times[i], series: flow, count };
  });
  return grown.filter(({ count }) => count > 0);
}
