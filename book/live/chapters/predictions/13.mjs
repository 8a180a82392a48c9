// Chapter 13: what Vegas gets beside Reno, and which of two Vegas flows gets more.

import { ackedRates } from "../shared/flows.mjs";
import { goodput } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

export const widgets = {
  "predict-beside-reno": {
    /** @param {Result} result */
    measure: (result) => goodput(result),
  },
  "predict-newcomer": {
    /** @param {Result} result */
    measure: (result) => {
      const { mbit } = ackedRates(result, 12);
      return mbit[1] > mbit[0] ? "second" : "first";
    },
  },
};
