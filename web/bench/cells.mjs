// Cells of a table as a reader sees them.

/** @typedef {import("../decode/table.mjs").Table} Table */

const MOST_DIGITS = 6; // decimals

/**
 * @param {import("../decode/table.mjs").Value} value
 * @returns {string}
 */
export function cellText(value) {
  if (value === null) return "–";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  if (Math.abs(value) < 1e-6) return value.toExponential(2);
  return value.toFixed(MOST_DIGITS).replace(/\.?0+$/, "");
}

/**
 * Is it a column of numbers, to be set flush right?
 * @param {Table} table
 * @param {string} name
 */
export function isNumeric(table, name) {
  return ["float", "int"].includes(table.column(name).kind);
}
