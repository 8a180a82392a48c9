// Chapter 16: Reno against one that keeps three quarters.

import { sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { goodput } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

export const widgets = {
  "predict-three-quarters": {
    /** @param {Result[]} results three runs of Reno, then three of the other */
    measure: (results) => sum(results.slice(3).map(goodput)) / sum(results.slice(0, 3).map(goodput)),
  },
};
