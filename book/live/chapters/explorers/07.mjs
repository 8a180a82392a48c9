// What chapter 07's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { retransmits } from "../shared/again.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput, numbers, sender } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-sawtooth": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const rtt = mean(numbers(sender(result.table("tcp_probe")), "srtt_us"));
  return {
    Goodput: `${fixed(goodput(result), 2)} Mbit/s`,
    "Mean RTT": `${fixed(rtt / 1000, 0)} ms`,
    Retransmitted: `${retransmits(result)} packets`,
  };
}
