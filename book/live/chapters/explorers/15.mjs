// What chapter 15's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { ackedRates } from "../shared/flows.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SINCE_S = 4;

export const widgets = {
  "explore-sharing": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result, { interval: 1 }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const { flows, mbit } = ackedRates(result, SINCE_S);
  /** @param {string} flow */
  const rate = (flow) => `${fixed(mbit[flows.indexOf(flow)] ?? Number.NaN, 2)} Mbit/s`;
  return { Near: rate("near"), Far: rate("far"), "Jain's index": fixed(jain(mbit), 2) };
}

/**
 * 1 if all have the same, 1/n if one of n has everything (Jain, Chiu, Hawe, DEC-TR-301, 1984).
 * @param {readonly number[]} rates
 */
function jain(rates) {
  return sum(rates) ** 2 / (rates.length * sum(rates.map((rate) => rate ** 2)));
}
