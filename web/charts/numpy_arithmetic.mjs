// Arithmetic to the last bit as numpy and Python have it: rounding, and sums in their order.

const PAIRWISE = 128;

/**
 * The nearest whole number; halves go to the even one.
 * @param {number} x
 */
export function rint(x) {
  const low = Math.floor(x);
  const part = x - low;
  if (part !== 0.5) return part < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}

/**
 * So many decimals, as numpy rounds; no -0.
 * @param {number} x
 * @param {number} digits
 */
export function rounded(x, digits) {
  const scale = 10 ** digits;
  return rint(x * scale) / scale + 0;
}

/**
 * The sum as numpy has it: by halves, and eight at a time.
 * @param {ArrayLike<number>} values
 * @param {number} [from]
 * @param {number} [count]
 * @returns {number}
 */
export function sum(values, from = 0, count = values.length) {
  if (count < 8) {
    let total = 0;
    for (let i = from; i < from + count; i++) total += values[i];
    return total;
  }
  if (count > PAIRWISE) {
    const half = Math.floor(count / 2) - (Math.floor(count / 2) % 8);
    return sum(values, from, half) + sum(values, from + half, count - half);
  }
  const r = Array.from({ length: 8 }, (_, k) => values[from + k]);
  let i = 8;
  for (; i < count - (count % 8); i += 8) for (let k = 0; k < 8; k++) r[k] += values[from + i + k];
  let total = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  for (; i < count; i++) total += values[from + i];
  return total;
}

/**
 * NaN of none.
 * @param {ArrayLike<number>} values
 */
export function mean(values) {
  return sum(values) / values.length;
}

/**
 * With linear interpolation between neighbours; NaN of none.
 * @param {ArrayLike<number>} values
 * @param {number} q from 0 to 1
 */
export function quantile(values, q) {
  if (values.length === 0) return Number.NaN;
  const ordered = Float64Array.from(values).sort();
  const place = q * (ordered.length - 1);
  const low = Math.floor(place);
  const [a, b] = [ordered[low], ordered[Math.min(low + 1, ordered.length - 1)]];
  const part = place - low;
  return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

/**
 * Of an even number of values the mean of the two in the middle.
 * @param {ArrayLike<number>} values
 */
export function median(values) {
  if (values.length === 0) return Number.NaN;
  const ordered = Float64Array.from(values).sort();
  const half = ordered.length >> 1;
  return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

/**
 * The smallest value; Infinity of none.
 * @param {ArrayLike<number>} values
 */
export function least(values) {
  let found = Number.POSITIVE_INFINITY;
  for (let i = 0; i < values.length; i++) if (values[i] < found) found = values[i];
  return found;
}

/**
 * The largest value; -Infinity of none.
 * @param {ArrayLike<number>} values
 */
export function most(values) {
  let found = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) if (values[i] > found) found = values[i];
  return found;
}

/**
 * A value between those that are known, linear between two of them; before the first and after the last as there.
 * @param {number} x
 * @param {ArrayLike<number>} xs in their order, some
 * @param {ArrayLike<number>} ys
 */
export function linear(x, xs, ys) {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return ys[0];
  if (low === xs.length || xs[low - 1] === x) return ys[low - 1];
  const slope = (ys[low] - ys[low - 1]) / (xs[low] - xs[low - 1]);
  return slope * (x - xs[low - 1]) + ys[low - 1];
}
