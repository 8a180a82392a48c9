// Chapter 13b: at which loss rate BBR breaks down.

import { linksOf } from "../shared/experiment.mjs";
import { ackedRates } from "../shared/flows.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const LEVELS = [1, 5, 10, 30]; // per cent
const SINCE = 5; // s

/**
 * Is less than half of what the line lets through delivered?
 * @param {Result} result
 * @param {number} level
 */
function broken(result, level) {
  const links = linksOf(result);
  const payload = (links[links.length - 1].forward.rate * 1448) / 1514e6;
  return ackedRates(result, SINCE).mbit[0] < ((1 - level / 100) * payload) / 2;
}

export const widgets = {
  "predict-bbr-loss": {
    /** @param {Result[]} results */
    measure: (results) => {
      const found = LEVELS.find((level, i) => broken(results[i], level));
      return found === undefined ? "never" : `${found}%`;
    },
  },
};
