// How many runs a claim needs.

import { tQuantile } from "./student.mjs";

const MOST = 10_000_000;

/**
 * Runs until the 95 % interval of a mean is expected to be ± halfWidth (of the mean) or narrower: the smallest n with
 * t(n - 1) cv / sqrt(n) <= halfWidth.
 * @param {number} cv standard deviation over mean of single runs
 * @param {number} halfWidth
 * @throws {RangeError} unless both are positive and finite
 */
export function runsForInterval(cv, halfWidth) {
  for (const [name, value] of Object.entries({ cv, halfWidth })) {
    if (!(value > 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${name}=${value}: must be above 0, and finite`);
    }
  }
  return first((n) => (tQuantile(n - 1) * cv) / Math.sqrt(n) <= halfWidth);
}

/**
 * The smallest n from 2 on for which something holds, which then holds for all larger ones.
 * @param {(n: number) => boolean} holds
 */
function first(holds) {
  let [low, high] = [1, 2];
  while (!holds(high)) {
    [low, high] = [high, 2 * high];
    if (high > MOST) throw new RangeError(`more than ${MOST} runs: single runs differ too much`);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
