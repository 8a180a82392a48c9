// What chapter 18's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { defaultSummary } from "../../../../labkit/charts/js/summary.mjs";
import { drawn } from "../shared/drawn.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-timeouts": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result), context),
    summary: defaultSummary,
  },
};
