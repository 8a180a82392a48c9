// Chapter 14: which algorithm gets most of a line that loses 1 %.

import { largest } from "../shared/arithmetic.mjs";
import { goodput } from "../shared/reading.mjs";

const NAMES = ["westwood", "veno", "illinois", "scalable"];

export const widgets = {
  "predict-second": {
    /** @param {import("../shared/types.mjs").Result[]} results */
    measure: (results) => NAMES[largest(results.map(goodput))],
  },
};
