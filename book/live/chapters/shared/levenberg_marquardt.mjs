// Nonlinear least squares by Levenberg and Marquardt, with steps and limits as scipy's curve_fit has them (MINPACK's
// lmdif), so that both end at the same numbers.
//
// J. Moré, The Levenberg-Marquardt Algorithm: Implementation and Theory, Lecture Notes in Mathematics 630, 1978.

import { backward, forward, norm, ordered, qr, restored } from "./linear.mjs";

/** @typedef {(numbers: readonly number[]) => number[]} Residuals */
/** @typedef {import("./linear.mjs").Matrix} Matrix */
/**
 * The problem made linear at a point: of jacobian = q r, columns in `order`.
 * @typedef {{r: Matrix, order: number[], qtb: number[], lengths: number[]}} Linear
 */

const TOLERANCE = 1.49012e-8;
const EPSILON = 2 ** -52;
const TINY = 2 ** -1022;
const CALLS = 5000;
const FIRST_REACH = 100;

/** No minimum was found. */
export class NoMinimumError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "NoMinimumError";
  }
}

/**
 * The numbers at which the sum of squared residuals has a minimum.
 * @param {Residuals} residuals
 * @param {readonly number[]} start
 * @returns {number[]}
 * @throws {NoMinimumError}
 */
export function minimum(residuals, start) {
  let x = [...start];
  let f = residuals(x);
  let [calls, damping, reach] = [1, 0, 0];
  /** @type {number[]} */
  let scale = [];
  for (let first = true; ; ) {
    const linear = linearised(residuals, x, f);
    calls += x.length;
    if (first) {
      scale = linear.lengths.map((length) => length || 1);
      reach = FIRST_REACH * norm(times(scale, x)) || FIRST_REACH;
    }
    if (steepness(linear, f) <= 0) return x;
    scale = scale.map((one, j) => Math.max(one, linear.lengths[j]));
    for (let ratio = 0; ratio < 1e-4; ) {
      const step = limited(linear, scale, reach, damping);
      const went = norm(times(scale, step.p));
      if (first) reach = Math.min(reach, went);
      const there = x.map((one, j) => one + step.p[j]);
      const f1 = residuals(there);
      calls++;
      const gain = gained(linear, step, went, norm(f), norm(f1));
      ({ ratio } = gain);
      [reach, damping] = adapted(gain, step.damping, reach, went);
      if (ratio >= 1e-4) {
        [x, f, first] = [there, f1, false];
      }
      if (isDone(gain, reach, norm(times(scale, x)))) return x;
      if (calls >= CALLS) throw new NoMinimumError(`no minimum found in ${CALLS} tries`);
      if (isStuck(gain, reach, norm(times(scale, x)), steepness(linear, f))) {
        throw new NoMinimumError("no minimum found: the last steps change nothing");
      }
    }
  }
}

/**
 * With the slopes by forward differences.
 * @param {Residuals} residuals
 * @param {readonly number[]} x
 * @param {readonly number[]} f the residuals there
 * @returns {Linear}
 */
function linearised(residuals, x, f) {
  const slopes = x.map((one, j) => {
    const h = Math.sqrt(EPSILON) * Math.abs(one) || Math.sqrt(EPSILON);
    const beside = residuals(x.with(j, one + h));
    return f.map((here, i) => (beside[i] - here) / h);
  });
  const jacobian = f.map((_, i) => slopes.map((slope) => slope[i]));
  return { ...qr(jacobian, f), lengths: slopes.map(norm) };
}

/**
 * The largest cosine between the residuals and a column of the jacobian.
 * @param {Linear} linear
 * @param {readonly number[]} f
 */
function steepness({ r, order, qtb, lengths }, f) {
  const length = norm(f);
  if (length === 0) return 0;
  const cosines = order.map((place, j) => {
    if (lengths[place] === 0) return 0;
    const along = r.slice(0, j + 1).reduce((sum, row, i) => sum + (row[j] * qtb[i]) / length, 0);
    return Math.abs(along / lengths[place]);
  });
  return Math.max(...cosines);
}

/**
 * The step to the linear problem's minimum among those that reach no farther than about `reach`, in units of `scale`.
 * @param {Linear} linear
 * @param {readonly number[]} scale
 * @param {number} reach
 * @param {number} damping of the step before
 * @returns {{p: number[], damping: number}}
 */
function limited(linear, scale, reach, damping) {
  const { r, order, qtb } = linear;
  const newton = restored(backward(r, qtb), order).map((one) => -one);
  let length = norm(times(scale, newton));
  let over = length - reach;
  if (over <= 0.1 * reach) return { p: newton, damping: 0 };
  const full = r.every((row, i) => row[i] !== 0);
  let low = full ? correction(r, order, scale, newton, over, reach) : 0;
  const steep = norm(
    order.map(
      (place, j) => r.slice(0, j + 1).reduce((sum, row, i) => sum + row[j] * qtb[i], 0) / scale[place],
    ),
  );
  let high = steep / reach || TINY / Math.min(reach, 0.1);
  let found = Math.min(Math.max(damping, low), high) || steep / length;
  for (let tries = 1; ; tries++) {
    if (found === 0) found = Math.max(TINY, 0.001 * high);
    const { p, triangle, places } = damped(linear, scale, found);
    length = norm(times(scale, p));
    const before = over;
    over = length - reach;
    const close = Math.abs(over) <= 0.1 * reach || (low === 0 && over <= before && before < 0);
    if (close || tries === 10) return { p, damping: found };
    const more = correction(triangle, places, scale, p, over, reach);
    if (over > 0) low = Math.max(low, found);
    if (over < 0) high = Math.min(high, found);
    found = Math.max(low, found + more);
  }
}

/**
 * By how much Newton's method on 1 / length would change the damping.
 * @param {Matrix} triangle
 * @param {readonly number[]} order of its columns
 * @param {readonly number[]} scale
 * @param {readonly number[]} p
 * @param {number} over
 * @param {number} reach
 */
function correction(triangle, order, scale, p, over, reach) {
  const length = norm(times(scale, p));
  const towards = p.map((one, j) => (scale[j] * (scale[j] * one)) / length);
  const slope = norm(forward(triangle, ordered(towards, order)));
  return over / reach / slope / slope;
}

/**
 * The step with a damping, and the triangle of the problem that it solves.
 * @param {Linear} linear
 * @param {readonly number[]} scale
 * @param {number} damping above 0
 */
function damped({ r, order, qtb }, scale, damping) {
  const root = Math.sqrt(damping);
  const below = order.map((place, j) => order.map((_, k) => (j === k ? root * scale[place] : 0)));
  const solved = qr([...r, ...below], [...qtb, ...order.map(() => 0)]);
  const p = restored(restored(backward(solved.r, solved.qtb), solved.order), order).map((one) => -one);
  return { p, triangle: solved.r, places: solved.order.map((place) => order[place]) };
}

/** @typedef {{actual: number, predicted: number, slope: number, ratio: number, worse: boolean}} Gain */

/**
 * By which shares the sum of squares fell, and should have fallen. worse: it grew a hundredfold.
 * @param {Linear} linear
 * @param {{p: number[], damping: number}} step
 * @param {number} went its length
 * @param {number} before length of the residuals
 * @param {number} after
 * @returns {Gain}
 */
function gained({ r, order }, { p, damping }, went, before, after) {
  const better = 0.1 * after < before;
  const actual = better ? 1 - (after / before) ** 2 : -1;
  const along = ordered(p, order);
  const moved = norm(r.map((row) => row.reduce((sum, one, j) => sum + one * along[j], 0))) / before;
  const held = (Math.sqrt(damping) * went) / before;
  const predicted = moved ** 2 + held ** 2 / 0.5;
  const ratio = predicted === 0 ? 0 : actual / predicted;
  return { actual, predicted, slope: -(moved ** 2 + held ** 2), ratio, worse: !better };
}

/**
 * The next reach and damping.
 * @param {Gain} gain
 * @param {number} damping
 * @param {number} reach
 * @param {number} went
 * @returns {[number, number]}
 */
function adapted({ actual, slope, ratio, worse }, damping, reach, went) {
  if (ratio <= 0.25) {
    let part = actual >= 0 ? 0.5 : (0.5 * slope) / (slope + 0.5 * actual);
    if (worse || part < 0.1) part = 0.1;
    return [part * Math.min(reach, went / 0.1), damping / part];
  }
  return damping === 0 || ratio >= 0.75 ? [went / 0.5, 0.5 * damping] : [reach, damping];
}

/**
 * @param {Gain} gain
 * @param {number} reach
 * @param {number} length of the point
 */
function isDone({ actual, predicted, ratio }, reach, length) {
  const flat = Math.abs(actual) <= TOLERANCE && predicted <= TOLERANCE && 0.5 * ratio <= 1;
  return flat || reach <= TOLERANCE * length;
}

/**
 * @param {Gain} gain
 * @param {number} reach
 * @param {number} length of the point
 * @param {number} steep
 */
function isStuck({ actual, predicted, ratio }, reach, length, steep) {
  const flat = Math.abs(actual) <= EPSILON && predicted <= EPSILON && 0.5 * ratio <= 1;
  return flat || reach <= EPSILON * length || steep <= EPSILON;
}

/**
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 */
function times(a, b) {
  return a.map((one, j) => one * b[j]);
}
