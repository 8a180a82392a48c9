// Chapter 19: thirty transfers, and two formulas fitted to them.

import { mean, quantile, rounded } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { byLoss, LOSSES, transferTimes } from "../shared/caia.mjs";
import { curve, EXPONENTIAL, fit, RISING } from "../shared/forms.mjs";
import { NoMinimumError } from "../shared/levenberg_marquardt.mjs";
import { Random } from "../shared/random.mjs";
import { known } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Drawn} Drawn */

const FORMS = { exponential: EXPONENTIAL, "power law": RISING };
const RESAMPLES = 100;
const POINTS = 16; // of a curve

/**
 * The form's numbers for the mean times at each loss; what counts is by how many per cent one is missed.
 * @param {import("../shared/forms.mjs").Form} form
 * @param {readonly (readonly number[])[]} groups the times at each loss
 */
function fitted(form, groups) {
  const means = groups.map(mean);
  return fit(form, LOSSES, means, means);
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const times = transferTimes(result);
  const curves = Object.entries(FORMS).flatMap(([name, form]) =>
    curve(form, fitted(form, byLoss(times)), 0, 15, POINTS).map(({ x, y }) => ({
      loss: rounded(x, 2),
      s: known(rounded(y, 2)),
      fit: name,
    })),
  );
  return {
    data: {
      "data-1": times.map(({ loss, s }) => ({ loss: rounded(loss, 2), s: known(rounded(s, 2)) })),
      "data-2": curves,
    },
    description: `Thirty transfer times over the
loss, with an exponential and a power law fitted to their means.`,
  };
}

/**
 * The exponential's c of resampled transfers, by the draws that the notebook has; those without a minimum left out.
 * @param {readonly (readonly number[])[]} groups
 */
function bootstrapped(groups) {
  const random = new Random(1);
  return Array.from({ length: RESAMPLES }, () => groups.map((group) => random.resample(group))).flatMap(
    (drawn) => {
      try {
        return [fitted(EXPONENTIAL, drawn)[2]];
      } catch (error) {
        if (error instanceof NoMinimumError) return [];
        throw error;
      }
    },
  );
}

/** @param {Result} result */
function summary(result) {
  const groups = byLoss(transferTimes(result));
  const [exponential, power] = [EXPONENTIAL, RISING].map((form) => fitted(form, groups)[2]);
  const drawn = bootstrapped(groups);
  const [low, high] = [0.025, 0.975].map((share) => fixed(quantile(drawn, share), 2));
  return {
    "c of the exponential": `${fixed(exponential, 2)}, ${low} to ${high}`,
    "c of the power law": fixed(power, 1),
  };
}

export const widgets = { "explore-fit": { draw, summary } };
