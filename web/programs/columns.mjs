// @ts-check
/* Columns of values out of a chapter's file (book/extensions/live/packing.py). */

/** @typedef {{over: number, by: number[]}} Differences of numbers, each to the one before it, as whole numbers */

/**
 * @template {any[]} T
 * @param {Differences | T} packed
 * @returns {number[] | T}
 */
export function columnOf(packed) {
  if (Array.isArray(packed)) return packed;
  let sum = 0;
  return packed.by.map((more) => {
    sum += more;
    return sum / packed.over;
  });
}
