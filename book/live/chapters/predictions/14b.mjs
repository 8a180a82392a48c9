// Chapter 14b: what Veno gets of a lossy line, in the mean of ten runs.

import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { goodput } from "../shared/reading.mjs";

export const widgets = {
  "predict-veno": {
    /** @param {import("../shared/types.mjs").Result[]} results */
    measure: (results) => mean(results.map(goodput)),
  },
};
