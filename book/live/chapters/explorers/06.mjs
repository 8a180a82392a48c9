// What chapter 06's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { numbers, ofFlow, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const ROUND_TRIP_S = 0.05;

export const widgets = {
  "explore-bursts": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  return {
    Goodput: `${fixed(ofFlow(result.goodput(), "flow", "goodput"), 1)} Mbit/s`,
    "Longest pause": `${fixed(longestPause(result), 1)} s`,
    "Loss events": `${lossEvents(result)}`,
  };
}

/**
 * Of the TCP flow: the longest time without any acknowledgement (s).
 * @param {Result} result
 */
function longestPause(result) {
  const info = only(result.table("tcp_info"), { side: "sender", flow: "flow" });
  const [times, acked] = [numbers(info, "time_s"), numbers(info, "bytes_acked")];
  const [first] = /** @type {readonly {duration: number}[]} */ (result.recorded.experiment.flows);
  const moved = [...times.filter((_, i) => i === 0 || acked[i] > acked[i - 1]), first.duration];
  return most(moved.slice(1).map((time, i) => time - moved[i]));
}

/**
 * How many, as RFC 5348 counts them: losses within a round trip of the first are one.
 * @param {Result} result
 */
function lossEvents(result) {
  const began = [-1];
  for (const time of numbers(only(result.table("drops"), { place: "wire" }), "time_s").sort()) {
    if (time > Math.max(began[began.length - 1] + ROUND_TRIP_S, 0)) began.push(time);
  }
  return began.length - 1;
}
