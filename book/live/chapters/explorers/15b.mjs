// What chapter 15b's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { ofFlow } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-remedies": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  /** @param {string} flow */
  const rate = (flow) => `${fixed(ofFlow(result.goodput(), flow, "goodput"), 2)} Mbit/s`;
  return { near: rate("near"), far: rate("far") };
}
