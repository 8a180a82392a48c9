// When the time of a flow was over, by which its goodput is counted: as `Traffic.until` has it.

import { TRAFFIC } from "../decode/facts.mjs";

/** @typedef {import("../decode/types.mjs").FlowSpec} FlowSpec */
/**
 * How a flow ended: its row of the table `flows`; NaN: never.
 * @typedef {{complete: boolean, startS: number, lastByteS: number, endS: number}} Ended
 */

/**
 * In s.
 * @param {FlowSpec} flow
 * @param {Ended} ended
 * @param {number} runS when the run ended
 */
export function until(flow, ended, runS) {
  if (flow.protocol === "udp") return ofUdp(flow, ended, runS);
  const { amount, schedule, endless } = TRAFFIC[flow.kind ?? "flow"];
  if (endless) return runS;
  if (schedule.length > 0) {
    return Math.min(ended.startS + schedule.reduce((product, name) => product * flow[name], 1), runS);
  }
  if (ended.complete && amount !== "" && flow[amount] !== null) return ended.lastByteS;
  return flow.duration ? Math.min(ended.startS + flow.duration, runS) : ended.endS;
}

/**
 * Of a Flow: when its sender was done, or its last datagram's arrival if that was later.
 * @param {FlowSpec} flow
 * @param {Ended} ended
 * @param {number} runS
 */
function ofUdp({ duration, size, rate }, ended, runS) {
  const lasts = [];
  if (duration) lasts.push(duration);
  if (size && rate) lasts.push((8 * size) / rate);
  const sentS = Math.min(ended.startS + Math.min(...lasts), runS);
  return Number.isNaN(ended.lastByteS) ? sentS : Math.max(sentS, ended.lastByteS);
}
