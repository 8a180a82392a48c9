// Chapter 18: packets per second when no timer runs for less than three seconds.

import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { goodputs } from "../shared/reading.mjs";

const MSS = 1448; // bytes

export const widgets = {
  "predict-floor": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => mean(goodputs(result).map((mbit) => (mbit * 1e6) / (8 * MSS))),
  },
};
