// Chapter 14b: one flow of any algorithm, its window above the queue.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { queue } from "../../../../labkit/charts/js/queue_length.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { retransmits } from "../shared/again.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput, numbers, only } from "../shared/reading.mjs";
import { stacked } from "../shared/stacked.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SINCE_S = 2;

/**
 * Packets in the queue, in the mean of its samples.
 * @param {Result} result
 */
function waiting(result) {
  const table = result.table("backlog");
  const times = numbers(table, "time_s");
  const samples = only(table, { host: "left" }, (row) => times[row] > SINCE_S);
  return mean(numbers(samples, "backlog_packets"));
}

/** @param {Result} result */
function summary(result) {
  return {
    Goodput: `${fixed(goodput(result), 2)} Mbit/s`,
    "Mean queue": `${fixed(waiting(result), 0)} packets`,
    "Sent again": `${retransmits(result)} packets`,
  };
}

export const widgets = {
  "explore-zoo": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(stacked(cwnd(result, { ssthresh: false }), queue(result)), context),
    summary,
  },
};
