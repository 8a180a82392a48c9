// Chapter 3b: what is left of a transfer as the light gets dimmer.

import { goodput } from "../shared/reading.mjs";

export const widgets = {
  "predict-cliff": {
    /** @param {import("../shared/types.mjs").Result[]} results */
    measure: (results) => results.map(goodput),
  },
};
