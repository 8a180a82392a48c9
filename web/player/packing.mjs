// Columns of numbers and texts as short strings, as labkit/player/packing.py has them: {is: one value for all},
// {n: numbers}, {d: differences, the first one from zero}, or {of: texts, at: their numbers}. Numbers are in base 36 with
// spaces between, "-" for none; "1*14" is forty ones.

/** @typedef {{is: number | string | null} | {n: string} | {d: string} | {of: string[], at: string}} Packed */

/**
 * Whole numbers as they are; null: none.
 * @param {ArrayLike<number | null>} values
 * @returns {Packed}
 */
export function numbers(values) {
  return same(values) ? { is: values[0] } : { n: text(values) };
}

/**
 * Whole numbers that change little from one to the next.
 * @param {ArrayLike<number>} values
 * @returns {Packed}
 */
export function differences(values) {
  if (same(values)) return { is: values[0] };
  const steps = Array.from(values, (value, i) => (i > 0 ? value - values[i - 1] : value));
  return { d: text(steps) };
}

/**
 * Texts, each written once.
 * @param {readonly string[]} values
 * @returns {Packed}
 */
export function texts(values) {
  const known = [...new Set(values)];
  if (known.length === 1) return { is: known[0] };
  const place = new Map(known.map((one, number) => [one, number]));
  return { of: known, at: text(values.map((one) => /** @type {number} */ (place.get(one)))) };
}

/** @param {ArrayLike<number | null>} values */
function same(values) {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return values.length > 0;
}

/** @param {ArrayLike<number | null>} values */
function text(values) {
  const parts = [];
  for (let i = 0; i < values.length; ) {
    let end = i + 1;
    while (end < values.length && values[end] === values[i]) end++;
    const written = values[i]?.toString(36) ?? "-";
    parts.push(end - i === 1 ? written : `${written}*${(end - i).toString(36)}`);
    i = end;
  }
  return parts.join(" ");
}
