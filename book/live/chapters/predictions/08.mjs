// Chapter 8: how long four losses of a window take without SACK.

import { least, most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { timeSequence } from "../../../../labkit/charts/js/time_sequence.mjs";
import { ledger } from "../../../../labkit/results/js/ledger/ledger.mjs";
import { drawn } from "../shared/drawn.mjs";
import { numbers } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SEEN = { start: 0.19, end: 0.5, window: false };

/**
 * Time from the first to the last retransmission (ms), without the loss that sets the window.
 * @param {Result} result
 */
function span(result) {
  const again = numbers(ledger(result), "retransmitted_s").subarray(1);
  const known = again.filter((time) => !Number.isNaN(time));
  return 1000 * (most(known) - least(known));
}

export const widgets = {
  "predict-four": {
    measure: span,
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(timeSequence(result, SEEN), context),
  },
};
