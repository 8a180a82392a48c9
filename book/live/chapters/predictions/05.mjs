// Chapter 5: how many packets wait with CoDel, and how long when it is flooded.

import { delay } from "../../../../labkit/charts/js/delay.mjs";
import { most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { queue } from "../../../../labkit/charts/js/queue_length.mjs";
import { drawn } from "../shared/drawn.mjs";
import { numbers, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

/** @type {[string, string]} */
const LINE = ["router", "right"];
const TARGET = "About 5 ms: that is the target.";
const SOME = "Some 30 to 60 ms.";
const LONG = "More than 200 ms.";

/**
 * The packets that the router's queue took: a row each.
 * @param {Result} result
 */
function waiting(result) {
  return only(result.table("queue"), { host: LINE[0], peer: LINE[1] });
}

/** @param {Result} result */
function longest(result) {
  const wait = most(numbers(waiting(result), "wait_s"));
  if (wait < 0.02) return TARGET;
  return wait < 0.1 ? SOME : LONG;
}

export const widgets = {
  "predict-room": {
    /** @param {Result} result */
    measure: (result) => most(numbers(waiting(result), "packets")) + 1,
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(queue(result, { at: LINE }), context),
  },
  "predict-flood": {
    measure: longest,
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(delay(result, { at: LINE }), context),
  },
};
