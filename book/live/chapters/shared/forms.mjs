// Formulas with free numbers, and the fit of one to measured points.

import { evenly, geometrically } from "./arithmetic.mjs";
import { minimum } from "./levenberg_marquardt.mjs";
import { leastSquares } from "./linear.mjs";

/** @typedef {readonly number[]} Row */
/**
 * start: from x, y and sigma to a first guess of each number.
 * @typedef {{name: string, law: (x: number, numbers: Row) => number, start: (x: Row, y: Row, sigma: Row) => number[]}} Form
 */

const LARGEST = 500; // of an exponent: a search that tries a larger one is told a very large number, not infinity
const STEEPEST = 20; // |c| times the range of x: all would happen at one of the points

/**
 * a + b exp(c x), the form of C. Holman's talk at CAIA, Swinburne University of Technology, 10 December 2010.
 * @type {Form}
 */
export const EXPONENTIAL = Object.freeze({
  name: "a + b exp(c x)",
  law: (/** @type {number} */ x, /** @type {Row} */ [a, b, c]) => a + b * Math.exp(Math.min(c * x, LARGEST)),
  start: exponentialStart,
});

/**
 * a + b x^c: a power law over a floor.
 * @type {Form}
 */
export const RISING = Object.freeze({
  name: "a + b x^c",
  law: (/** @type {number} */ x, /** @type {Row} */ [a, b, c]) => a + b * x ** c,
  start: risingStart,
});

/**
 * The numbers of the form that make the sum of ((y - form(x)) / sigma)^2 smallest.
 * @param {Form} form
 * @param {Row} x
 * @param {Row} y
 * @param {Row} sigma above 0
 * @returns {number[]}
 * @throws {import("./levenberg_marquardt.mjs").NoMinimumError}
 * @throws {RangeError} for a point that is none
 */
export function fit(form, x, y, sigma) {
  const wrong = y.findIndex((one, i) => !(Number.isFinite(one) && sigma[i] > 0));
  if (wrong >= 0)
    throw new RangeError(`at ${x[wrong]}: ${y[wrong]} is no value to fit to: not all came to an end`);
  const weight = sigma.map((one) => 1 / one);
  /** @param {Row} numbers */
  const residuals = (numbers) => x.map((at, i) => weight[i] * (form.law(at, numbers) - y[i]));
  return minimum(residuals, form.start(x, y, sigma));
}

/**
 * Of some shapes the one that, with the best a and b, comes closest to the points: its number, a and b.
 * @param {readonly number[]} shapes
 * @param {(shape: number) => Row} columnOf what b is multiplied with, at each x
 * @param {Row} y
 * @param {Row} sigma
 */
function closest(shapes, columnOf, y, sigma) {
  let best = { off: Number.POSITIVE_INFINITY, shape: Number.NaN, a: Number.NaN, b: Number.NaN };
  for (const shape of shapes) {
    const column = columnOf(shape);
    const [a, b] = leastSquares(
      column.map((one, i) => [1 / sigma[i], one / sigma[i]]),
      y.map((one, i) => one / sigma[i]),
    );
    const off = column.reduce((sum, one, i) => sum + ((y[i] - (a + b * one)) / sigma[i]) ** 2, 0);
    if (off < best.off) best = { off, shape, a, b };
  }
  return best;
}

/** @type {Form["start"]} */
function exponentialStart(x, y, sigma) {
  const [low, high] = [Math.min(...x), Math.max(...x)];
  const steep = geometrically(0.05, STEEPEST, 60).map((one) => one / (high - low || 1));
  /** @param {number} c */
  const top = (c) => (c > 0 ? high : low);
  const { shape, a, b } = closest(
    [...steep, ...steep.map((one) => -one)],
    (c) => x.map((at) => Math.exp(c * (at - top(c)))),
    y,
    sigma,
  );
  return [a, b * Math.exp(-shape * top(shape)), shape];
}

/** @type {Form["start"]} */
function risingStart(x, y, sigma) {
  const { shape, a, b } = closest(geometrically(0.1, 10, 40), (c) => x.map((at) => at ** c), y, sigma);
  return [a, b, shape];
}

/**
 * The fitted curve at evenly spaced x.
 * @param {Form} form
 * @param {Row} numbers
 * @param {number} first
 * @param {number} last
 * @param {number} count
 */
export function curve(form, numbers, first, last, count) {
  return evenly(first, last, count).map((x) => ({ x, y: form.law(x, numbers) }));
}
