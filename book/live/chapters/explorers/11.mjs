// What chapter 11's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { retransmits } from "../shared/again.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-laws": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result, { ssthresh: false }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  return {
    Goodput: `${fixed(goodput(result), 2)} Mbit/s`,
    Retransmissions: `${retransmits(result)} packets`,
  };
}
