// Chapter 5b: whether a client's settings let the queue mark its packets.

import { most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { numbers } from "../shared/reading.mjs";

const UP = "yes, they are marked";
const NO = "no, packets are dropped";

export const widgets = {
  "predict-ecn": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) => (most(numbers(result.table("backlog"), "marks")) > 0 ? UP : NO),
  },
};
