// The window of the sender just before each loss was found, and when it was back in state Open after it.

import { valueAt } from "../decode/table.mjs";
import { sortedPlace } from "./search.mjs";
import { isTcp } from "./transmissions.mjs";

/** @typedef {import("./accounts.mjs").Accounts} Accounts */
/** @typedef {import("../decode/table.mjs").Table} Table */
/**
 * When its window was what, and when it came to state Open.
 * @typedef {{times: Float64Array, cwnd: ArrayLike<number>, opened: Float64Array}} Sender
 */

/**
 * Segments; NaN: not known.
 * @param {Accounts} accounts
 * @param {Int32Array} lost numbers of the packets
 * @param {Float64Array} foundS when each loss was found; NaN: never
 */
export function windows({ result, packets: { table } }, lost, foundS) {
  const before = new Float64Array(lost.length).fill(Number.NaN);
  const after = before.slice();
  const tcp = isTcp(table);
  const [flow, way] = [table.column("flow"), table.column("way")];
  /** @type {Map<string, Sender>} */
  const senders = new Map();
  lost.forEach((i, n) => {
    const name = valueAt(flow, i);
    if (valueAt(way, i) !== "data" || !tcp(i) || Number.isNaN(foundS[n]) || name === null) return;
    const key = String(name);
    const sender = senders.get(key) ?? senderOf(result, key);
    senders.set(key, sender);
    const { times, cwnd, opened } = sender;
    const last = sortedPlace(times, foundS[n], "right") - 1;
    if (last >= 0) before[n] = cwnd[last];
    const calm = opened[sortedPlace(opened, foundS[n], "right")] ?? Number.POSITIVE_INFINITY;
    const next = sortedPlace(times, calm, "right");
    if (next < times.length) after[n] = cwnd[next];
  });
  return { before, after };
}

/**
 * @param {import("./result.mjs").Result} result
 * @param {string} flow
 * @returns {Sender}
 */
function senderOf(result, flow) {
  const probe = result.table("tcp_probe");
  const states = result.table("cong_states");
  const [rows, opened] = [ofSender(probe, flow), ofSender(states, flow)];
  const [at, cwnd] = ["time_s", "snd_cwnd"].map(
    (name) => /** @type {ArrayLike<number>} */ (probe.column(name).values),
  );
  const [state, since] = [
    states.column("state"),
    /** @type {Float64Array} */ (states.column("time_s").values),
  ];
  return {
    times: Float64Array.from(rows, (i) => at[i]),
    cwnd: rows.map((i) => cwnd[i]),
    opened: Float64Array.from(
      opened.filter((i) => valueAt(state, i) === "Open"),
      (i) => since[i],
    ),
  };
}

/**
 * @param {Table} table of events
 * @param {string} name of a flow
 */
function ofSender(table, name) {
  const [flow, side] = [table.column("flow"), table.column("side")];
  const rows = [];
  for (let i = 0; i < table.length; i++) {
    if (valueAt(flow, i) === name && valueAt(side, i) === "sender") rows.push(i);
  }
  return rows;
}
