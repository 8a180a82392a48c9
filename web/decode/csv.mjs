// A table as a text for spreadsheets and for pandas.read_csv (RFC 4180): exact, with empty cells for what is missing.

import { valueAt } from "./table.mjs";

/** @typedef {import("./table.mjs").Table} Table */

const PIECE = 4096; // rows

/**
 * @param {Table} table
 * @returns {string}
 */
export function csv(table) {
  return [...pieces(table)].join("");
}

/**
 * The same piece by piece, for a Blob.
 * @param {Table} table
 * @returns {Generator<string, void>}
 */
export function* pieces(table) {
  const columns = Object.values(table.columns);
  yield `${table.names.map(cell).join(",")}\r\n`;
  for (let start = 0; start < table.length; start += PIECE) {
    let text = "";
    for (let row = start; row < Math.min(start + PIECE, table.length); row++) {
      text += `${columns.map((column) => cell(valueAt(column, row))).join(",")}\r\n`;
    }
    yield text;
  }
}

/** @param {import("./table.mjs").Value} value */
function cell(value) {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
