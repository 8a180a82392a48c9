// What chapter 16's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { retransmits } from "../shared/again.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput, numbers, sender } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SINCE_S = 1;

export const widgets = {
  "explore-two-numbers": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result, { ssthresh: false }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const rtt = mean(numbers(sender(result.table("tcp_info"), SINCE_S), "rtt"));
  return {
    Goodput: `${fixed(goodput(result), 2)} Mbit/s`,
    Retransmissions: `${retransmits(result)} packets`,
    "Mean round trip": `${fixed(rtt / 1000, 0)} ms`,
  };
}
