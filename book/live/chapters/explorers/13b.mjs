// What chapter 13b's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed, percent } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { numbers, sender } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SINCE_S = 3;

export const widgets = {
  "explore-bbr": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result, { ssthresh: false }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const info = sender(result.table("tcp_info"), SINCE_S);
  /** @param {string} name */
  const grown = (name) => {
    const values = numbers(info, name);
    return values[values.length - 1] - values[0];
  };
  return {
    Goodput: `${fixed((8e-6 * grown("bytes_acked")) / grown("time_s"), 2)} Mbit/s`,
    "Mean RTT": `${fixed(mean(numbers(info, "rtt")) / 1000, 0)} ms`,
    "Sent again": percent(grown("total_retrans") / grown("data_segs_out"), 1),
  };
}
