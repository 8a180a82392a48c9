// Chapter 15b: what RED does to the far upload's share.

import { mean, sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { goodputs, ofFlow } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const DOWN = "it shrinks";
const SAME = "it stays about the same";
const UP = "it grows";

/**
 * What becomes of far's share, from the first half of the runs to the second.
 * @param {Result[]} results
 */
function farShare(results) {
  const shares = results.map((result) => ofFlow(result.goodput(), "far", "goodput") / sum(goodputs(result)));
  const half = Math.floor(shares.length / 2);
  const change = mean(shares.slice(half)) - mean(shares.slice(0, half));
  if (Math.abs(change) < 0.05) return SAME;
  return change > 0 ? UP : DOWN;
}

export const widgets = { "predict-red": { measure: farShare } };
