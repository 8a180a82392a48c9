// Chapter 10: which advice makes a file from afar faster.

import { smallest } from "../shared/arithmetic.mjs";
import { numbers } from "../shared/reading.mjs";

const ALONE = ["rmem_max, wmem_max", "tcp_rmem", "tcp_wmem", "netdev_max_backlog"];

/** @param {import("../shared/types.mjs").Result} result */
function took(result) {
  const flows = result.table("flows");
  return numbers(flows, "end_s")[0] - numbers(flows, "start_s")[0];
}

export const widgets = {
  "predict-advice": {
    /** @param {import("../shared/types.mjs").Result[]} results */
    measure: (results) => ALONE[smallest(results.map(took))],
  },
};
