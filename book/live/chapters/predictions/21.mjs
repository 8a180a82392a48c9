// Chapter 21: how much longer HTTP/2 takes on a line that loses 2 %.

import { quantile } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { numbers } from "../shared/reading.mjs";

export const widgets = {
  "predict-http": {
    /** @param {import("../shared/types.mjs").Result} result of homes that have HTTP/1.1 and HTTP/2 in turns */
    measure: (result) => {
      const took = [...numbers(result.table("pages"), "load_s")];
      /** @param {number} rest */
      const slow = (rest) =>
        quantile(
          took.filter((load, i) => i % 2 === rest && !Number.isNaN(load)),
          0.9,
        );
      return slow(1) / slow(0);
    },
  },
};
