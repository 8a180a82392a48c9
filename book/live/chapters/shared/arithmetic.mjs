// Small arithmetic as numpy has it: the place of an extreme, and division without a rest.

/**
 * The place of the smallest number, of equal ones the first; NaN is smaller than all.
 * @param {ArrayLike<number>} values some
 */
export function smallest(values) {
  let found = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) return i;
    if (values[i] < values[found]) found = i;
  }
  return found;
}

/**
 * The place of the largest number, of equal ones the first; NaN is larger than all.
 * @param {ArrayLike<number>} values some
 */
export function largest(values) {
  return smallest(Array.from(values, (value) => -value));
}

/**
 * `a // b`: how many whole b are in a, of which the last bit of a / b must not decide.
 * @param {number} a
 * @param {number} b not 0
 */
export function floorDivided(a, b) {
  let rest = a % b;
  if (rest !== 0 && rest < 0 !== b < 0) rest += b;
  return Math.round((a - rest) / b);
}

/**
 * From `first` to `last`, both included.
 * @param {number} first
 * @param {number} last
 * @param {number} count 2 or more
 */
export function evenly(first, last, count) {
  const step = (last - first) / (count - 1);
  return Array.from({ length: count }, (_, i) => (i === count - 1 ? last : first + i * step));
}

/**
 * The same ratio from each to the next, both ends included.
 * @param {number} first above 0
 * @param {number} last above 0
 * @param {number} count 2 or more
 */
export function geometrically(first, last, count) {
  return evenly(Math.log10(first), Math.log10(last), count).map((power, i) => {
    if (i === 0) return first;
    return i === count - 1 ? last : 10 ** power;
  });
}
