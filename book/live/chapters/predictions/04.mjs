// Chapter 4: the longest round trip through a ring.

import { most } from "../../../../labkit/charts/js/numbers.mjs";
import { numbers, sender } from "../shared/reading.mjs";

export const widgets = {
  "predict-ring": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => most(numbers(sender(result.table("tcp_info")), "rtt")) / 1000,
  },
};
