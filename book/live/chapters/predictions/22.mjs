// Chapter 22: the round trip of pings through a tunnel that a transfer fills.

import { median } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { numbers } from "../shared/reading.mjs";

export const widgets = {
  "predict-ping": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) =>
      1000 * median(numbers(result.table("pings"), "rtt_s").filter((rtt) => !Number.isNaN(rtt))),
  },
};
