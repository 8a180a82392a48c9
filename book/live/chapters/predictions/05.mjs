// Chapter 5: how many packets wait with CoDel, and how long when it is flooded.

import { most } from "../../../../labkit/charts/js/numbers.mjs";
import { numbers, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const TARGET = "About 5 ms: that is the target.";
const SOME = "Some 30 to 60 ms.";
const LONG = "More than 200 ms.";

/**
 * The packets that the router's queue took: a row each.
 * @param {Result} result
 */
function waiting(result) {
  return only(result.table("queue"), { host: "router", peer: "right" });
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
  },
  "predict-flood": { measure: longest },
};
