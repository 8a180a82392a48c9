// Chapter 17: what delayed ACKs cost a Linux sender.

import { ofFlow } from "../shared/reading.mjs";

export const widgets = {
  "predict-delayed-acks": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => {
      const goodput = result.goodput();
      return ofFlow(goodput, "second", "goodput") / ofFlow(goodput, "each", "goodput");
    },
  },
};
