// Chapter 6: whether Reno carries more over a line that loses in bursts.

import { goodput } from "../shared/reading.mjs";

const MORE = "in bursts";
const SAME = "both the same";

export const widgets = {
  "predict-bursts": {
    /** @param {import("../shared/types.mjs").Result[]} results */
    measure: ([bursts, random]) => (goodput(bursts) > 2 * goodput(random) ? MORE : SAME),
  },
};
