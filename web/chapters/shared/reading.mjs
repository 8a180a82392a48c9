// Tables as chapters read them: some rows, a column's numbers, sums by name.

import { sum } from "../../charts/numpy_arithmetic.mjs";

/** @typedef {import("../../decode/table.mjs").Table} Table */
/** @typedef {import("./types.mjs").Result} Result */

/**
 * A column as numbers; NaN where there is none.
 * @param {Table} table
 * @param {string} name
 */
export function numbers(table, name) {
  const column = table.column(name);
  if (column.kind === "float") return column.values;
  return Float64Array.from({ length: table.length }, (_, i) => {
    const value = table.value(name, i);
    return value === null ? Number.NaN : Number(value);
  });
}

/**
 * A column as texts; null where there is none.
 * @param {Table} table
 * @param {string} name
 */
export function texts(table, name) {
  return Array.from({ length: table.length }, (_, i) => /** @type {string | null} */ (table.value(name, i)));
}

/**
 * The rows that have these texts in these columns, and for which something else holds.
 * @param {Table} table
 * @param {Record<string, string | readonly string[]>} wanted
 * @param {(row: number) => boolean} [holds]
 */
export function only(table, wanted, holds = () => true) {
  const tests = Object.entries(wanted).map(([name, text]) => equals(table, name, [text].flat()));
  return table.where((row) => tests.every((test) => test(row)) && holds(row));
}

/**
 * @param {Table} table
 * @param {string} name
 * @param {readonly string[]} wanted
 * @returns {(row: number) => boolean}
 */
function equals(table, name, wanted) {
  const column = table.column(name);
  if (column.kind === "text") return (row) => wanted.includes(column.values[row]);
  if (column.kind !== "name") throw new RangeError(`column ${name} has no texts`);
  const codes = new Set(wanted.map((text) => column.names.indexOf(text)).filter((code) => code >= 0));
  return (row) => codes.has(column.values[row]);
}

/**
 * The place of each row's text among the different ones: text -> rows, in the order of their coming.
 * @param {readonly (string | null)[]} keys a row without one is left out
 * @returns {Map<string, number[]>}
 */
export function byText(keys) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  keys.forEach((key, row) => {
    if (key === null) return;
    const rows = found.get(key);
    if (rows === undefined) found.set(key, [row]);
    else rows.push(row);
  });
  return found;
}

/**
 * By how much the counters of these rows have moved, together.
 * @param {Table} table interfaces, counters or softnet
 * @param {Record<string, string | readonly string[]>} wanted
 */
export function moved(table, wanted) {
  return sum(numbers(only(table, wanted), "delta"));
}

/**
 * What one flow, or one row of another table of flows, has in a column; NaN if nothing.
 * @param {Table} table
 * @param {string} name of the flow
 * @param {string} column
 */
export function ofFlow(table, name, column) {
  const found = numbers(only(table, { flow: name }), column);
  return found.length ? found[0] : Number.NaN;
}

/**
 * A number as a figure's data has it: nothing where there is none.
 * @param {number} value
 */
export function known(value) {
  return Number.isFinite(value) ? value : null;
}

/**
 * The rows that miss nothing.
 * @param {Table} table
 */
export function whole(table) {
  const columns = Object.keys(table.columns);
  return table.where((row) => columns.every((name) => table.value(name, row) !== null));
}
