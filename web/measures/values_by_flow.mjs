// What measures give: a value of each flow by its name, or of the run by "".

import { textsOf } from "../charts/runs.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {number | string | null} Value null and NaN are missing */
/** @typedef {Map<string, Value>} Rows */

/**
 * Values by flow in the order of the run's flows.
 * @template {Value} T
 * @param {Result} result
 * @param {Map<string, T>} values
 * @returns {Map<string, T>}
 */
export function ordered(result, values) {
  const names = textsOf(result.table("flows"), "flow").filter((name) => values.has(name));
  return new Map(names.map((name) => [name, /** @type {T} */ (values.get(name))]));
}

/**
 * The rows of a table that have this text in that column, by another column's texts, in the order of their coming.
 * @param {Table} table
 * @param {string} by
 * @param {(row: number) => boolean} [wanted]
 * @returns {Map<string, number[]>}
 */
export function rowsBy(table, by, wanted = () => true) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  textsOf(table, by).forEach((text, row) => {
    if (!wanted(row)) return;
    const mine = found.get(text);
    if (mine === undefined) found.set(text, [row]);
    else mine.push(row);
  });
  return found;
}
