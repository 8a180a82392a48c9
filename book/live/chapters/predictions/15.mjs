// Chapter 15: how much of the line the flow with the longer path gets.

import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { ackedRates } from "../shared/flows.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const SINCE = 8; // s

/**
 * The far flow's share, in per cent.
 * @param {Result} result
 */
function farShare(result) {
  const { flows, mbit } = ackedRates(result, SINCE);
  return (100 * mbit[flows.indexOf("far")]) / mbit.reduce((all, one) => all + one, 0);
}

export const widgets = {
  "predict-far": {
    /** @param {Result[]} results */
    measure: (results) => mean(results.map(farShare)),
  },
};
