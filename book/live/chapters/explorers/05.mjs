// What chapter 05's explorer shows of a run.

import { delay } from "../../../../labkit/charts/js/delay.mjs";
import { mean, quantile, sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodputs, numbers, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SINCE_S = 2;

export const widgets = {
  "explore-queues": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(delay(result, { at: ["router", "right"] }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const line = only(result.table("queue"), { host: "router", peer: "right" });
  const came = numbers(line, "enqueued_s");
  const all = numbers(line, "wait_s").map((wait) => 1000 * wait);
  const waits = all.filter((wait, row) => came[row] >= SINCE_S && !Number.isNaN(wait));
  return {
    Goodput: `${fixed(sum(goodputs(result)), 2)} Mbit/s`,
    Wait: `${fixed(mean(waits), 1)} ms, 99 % below ${fixed(quantile(waits, 0.99), 1)} ms`,
    Dropped: `${only(result.table("drops"), { place: "queue" }).length}`,
  };
}
