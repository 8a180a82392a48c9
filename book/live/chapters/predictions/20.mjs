// Chapter 20: what a transfer gets at night.

import { ofFlow } from "../shared/reading.mjs";

const BULK_S = 15;

export const widgets = {
  "predict-night": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => (8e-6 * ofFlow(result.table("flows"), "bulk0", "received_bytes")) / BULK_S,
  },
};
