// Columns of tables as arrays, and numbers as Python rounds them.

/** @typedef {import("../decode/table.mjs").Table} Table */

/**
 * @param {Table} table
 * @param {string} name of a column of numbers
 * @returns {ArrayLike<number>}
 */
export function numbersOf(table, name) {
  return /** @type {ArrayLike<number>} */ (table.column(name).values);
}

/**
 * To the nearest whole number, halves to the even one.
 * @param {number} value
 */
export function rounded(value) {
  const near = Math.round(value);
  return Math.abs(near - value) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

const NS_PER_US = 1000;

/**
 * The nearest µs; halves upwards.
 * @param {number} ns
 */
export function inUs(ns) {
  return Math.floor((ns + NS_PER_US / 2) / NS_PER_US);
}

/**
 * ns from s, as whole ns.
 * @param {number} seconds
 */
export function inNs(seconds) {
  return Math.round(seconds * 1e9);
}
