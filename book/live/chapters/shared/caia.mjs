// Chapter 19's transfers: a flow over each link, and how long it took.

import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { linksOf } from "./experiment.mjs";
import { numbers } from "./reading.mjs";

const LONGEST_S = 60; // nobody waits for more than a minute

/** Losses in per cent, as in CAIA's talk. */
export const LOSSES = Object.freeze([0, 2, 5, 8, 10, 15]);

/**
 * Of each transfer its loss (%) and the seconds since it was connected; NaN for one that never came to its end.
 * @param {import("./types.mjs").Result} result
 * @returns {{loss: number, s: number}[]}
 */
export function transferTimes(result) {
  const flows = result.table("flows");
  const [last, connected] = [numbers(flows, "last_byte_s"), numbers(flows, "established_s")];
  return linksOf(result).map(({ forward }, i) => ({
    loss: forward.loss ? Number(fixed(100 * Number(forward.loss.p), 1)) : 0,
    s: Math.min(last[i] - connected[i], LONGEST_S),
  }));
}

/**
 * The times at each loss.
 * @param {readonly {loss: number, s: number}[]} times
 */
export function byLoss(times) {
  return LOSSES.map((loss) => times.filter((one) => one.loss === loss).map((one) => one.s));
}
