// Chapter 19: how many runs a mean needs.

import { mean, sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { transferTimes } from "../shared/caia.mjs";
import { runsForInterval } from "../shared/sample_size.mjs";

/**
 * Coefficient of variation.
 * @param {readonly number[]} values
 */
function cv(values) {
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1)) / middle;
}

export const widgets = {
  "predict-runs": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => runsForInterval(cv(transferTimes(result).map((one) => one.s)), 0.1),
  },
};
