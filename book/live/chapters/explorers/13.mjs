// What chapter 13's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodputs, texts } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-beside": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result, { ssthresh: false }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const rates = goodputs(result);
  const names = texts(result.goodput(), "flow");
  return Object.fromEntries(names.map((name, i) => [name, `${fixed(rates[i], 2)} Mbit/s`]));
}
