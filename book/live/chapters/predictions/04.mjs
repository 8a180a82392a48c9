// Chapter 4: the longest round trip through a ring.

import { most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { numbers, sender } from "../shared/reading.mjs";

export const widgets = {
  "predict-ring": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => most(numbers(sender(result.table("tcp_info")), "rtt")) / 1000,
  },
};
