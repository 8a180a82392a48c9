// @ts-check
/* Programs at the steps of the knobs, put together from a table (book/extensions/live/filling.py). */

import { columnOf } from "./columns.mjs";
import { put } from "./plans.mjs";

/** @typedef {import("./plan.mjs").Json} Json */
/** @typedef {import("./plan.mjs").Plan} Plan */
/**
 * Each with an entry for each knob.
 * @typedef {object} Table
 * @property {number} plan
 * @property {(number[] | null)[]} steps
 * @property {[number, number, number][][]} bytes
 * @property {[(string | number)[], number][][]} leaves
 */
/** @typedef {{tables: Table[], columns: (import("./columns.mjs").Differences | Json[])[]}} Tables */

/**
 * The table that has these steps; undefined if none has.
 * @param {Table[]} tables
 * @param {number[]} steps of each knob; -1: between two
 */
export function tableFor(tables, steps) {
  return tables.find((table) => steps.every((step, knob) => rowOf(table, knob, step) >= 0));
}

/**
 * Fills steps into a table's plan.
 * @param {Plan} plan
 * @param {Table} table
 * @param {Tables["columns"]} columns
 * @param {number[]} steps
 */
export function fill(plan, table, columns, steps) {
  for (const [knob, step] of steps.entries()) {
    const row = rowOf(table, knob, step);
    for (const [at, width, column] of table.bytes[knob])
      write(plan.program, at, width, columnOf(columns[column])[row]);
    for (const [path, column] of table.leaves[knob]) put(plan, path, columnOf(columns[column])[row]);
  }
}

/**
 * @param {Table} table
 * @param {number} knob
 * @param {number} step
 */
const rowOf = ({ steps }, knob, step) => steps[knob]?.indexOf(step) ?? step;

/**
 * @param {Uint8Array} program
 * @param {number} at
 * @param {number} width
 * @param {number} number its lowest byte comes first
 */
function write(program, at, width, number) {
  for (let i = 0; i < width; i++) program[at + i] = Math.floor(number / 256 ** i) % 256;
}
