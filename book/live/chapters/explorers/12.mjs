// What chapter 12's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { defaultSummary } from "../../../../labkit/charts/js/summary.mjs";
import { drawn } from "../shared/drawn.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-beside": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result), context),
    summary: defaultSummary,
  },
};
