// What figures are made of: the tables of a run as rows, with one name per series.

import { TRAFFIC } from "../decode/facts.mjs";
import { Table } from "../decode/table.mjs";
import { EmptyFigureError, FigureError, filled } from "./figure.mjs";
import { mean, sum } from "./numpy_arithmetic.mjs";
import { general } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./figure.mjs").Row} Row */
/** @typedef {{time_s: number}} Timed */
/** @typedef {Timed & {series: string}} OfSeries series: the flow */
/** @typedef {{flows?: readonly string[], start?: number, end?: number}} Options start, end: s */

/**
 * Was the run made with this probe on?
 * @param {Result} result
 * @param {string} probe
 */
export function recorded(result, probe) {
  return result.recorded.experiment.probes.includes(probe);
}

/**
 * A column as numbers; NaN where there is none.
 * @param {Table} table
 * @param {string} name
 * @returns {Float64Array}
 */
export function numbersOf(table, name) {
  const column = table.column(name);
  if (column.kind === "name" || column.kind === "text") throw new TypeError(`${name} has no numbers`);
  const missing = column.kind === "int" ? column.missing : undefined;
  return Float64Array.from({ length: table.length }, (_, i) =>
    missing?.[i] ? Number.NaN : Number(column.values[i]),
  );
}

/**
 * A column as texts; "" where there is none.
 * @param {Table} table
 * @param {string} name
 * @returns {string[]}
 */
export function textsOf(table, name) {
  return Array.from({ length: table.length }, (_, i) => String(table.value(name, i) ?? ""));
}

/**
 * The rows of the senders, with time, flow and these columns.
 * @param {Table} table
 * @param {...string} names
 */
export function senders(table, ...names) {
  const side = table.column("side");
  if (side.kind !== "name") throw new TypeError("a side is a name");
  const code = side.names.indexOf("sender");
  const rows = [...side.values.keys()].filter((row) => code >= 0 && side.values[row] === code);
  const wanted = ["time_s", "flow", ...names];
  return new Table(Object.fromEntries(wanted.map((name) => [name, table.column(name)]))).pick(rows);
}

/**
 * The names of the flows that are one TCP connection each.
 * @param {Result} result
 * @returns {string[]}
 */
export function connections(result) {
  const kinds = result.recorded.experiment.flows;
  return result.recorded.layout.flows
    .filter((flow, i) => flow.protocol === "tcp" && TRAFFIC[kinds[i].kind ?? "flow"].oneConnection)
    .map((flow) => flow.name);
}

/**
 * The rows of some flows; none named: all. Of one run each flow is a series by its name.
 * @template {OfSeries} T
 * @param {Result} result
 * @param {readonly T[]} rows
 * @param {readonly string[]} [flows]
 * @returns {readonly T[]}
 * @throws {FigureError} for a flow that the run has not
 */
export function ofFlows(result, rows, flows) {
  checkFlows(flows, result);
  return flows === undefined ? rows : rows.filter(({ series }) => flows.includes(series));
}

/**
 * The names of the series, in the order in which they appear.
 * @param {readonly {series: string}[]} rows
 */
export function seriesOf(rows) {
  return [...new Set(rows.map((row) => row.series))];
}

/**
 * The rows of each series, in the order in which they appear.
 * @template {{series: string}} T
 * @param {readonly T[]} rows
 * @returns {Map<string, T[]>}
 */
export function eachSeries(rows) {
  /** @type {Map<string, T[]>} */
  const found = new Map();
  for (const row of rows) {
    const mine = found.get(row.series);
    if (mine === undefined) found.set(row.series, [row]);
    else mine.push(row);
  }
  return found;
}

/**
 * @param {readonly string[] | undefined} flows
 * @param {Result} result
 * @throws {FigureError} for a flow that the run has not
 */
function checkFlows(flows, result) {
  const names = result.recorded.layout.flows.map((flow) => flow.name);
  for (const flow of flows ?? []) {
    if (names.includes(flow)) continue;
    throw new FigureError(`flow '${flow}': no such flow: flows are ${names.join(", ") || "none"}`);
  }
}

/**
 * That flow, or else the first of TCP.
 * @param {Result} result
 * @param {string | undefined} flow
 * @param {string} figure
 * @throws {FigureError}
 * @throws {EmptyFigureError}
 */
export function oneFlow(result, flow, figure) {
  checkFlows(flow === undefined ? undefined : [flow], result);
  if (flow !== undefined) return flow;
  const cure = 'add Flow("left", "right", size="1MB")';
  return filled(connections(result), figure, "the run has no TCP flow", cure)[0];
}

/**
 * The rows from start to end (s), of which there are some if there were any.
 * @template {Timed} T
 * @param {readonly T[]} rows
 * @param {string} figure
 * @param {Options} options
 * @returns {readonly T[]}
 * @throws {FigureError}
 * @throws {EmptyFigureError}
 */
export function within(rows, figure, { start, end }) {
  if (start !== undefined && end !== undefined && !(start < end)) {
    throw new FigureError(`${figure}: start=${start}, end=${end}: the start must be before the end`);
  }
  const kept = inside(rows, { start, end });
  if (kept.length > 0 || rows.length === 0) return kept;
  const first = firstOf(rows).time_s;
  const last = rows.reduce((found, row) => Math.max(found, row.time_s), first);
  throw new EmptyFigureError(
    `${figure}: nothing to draw: no data from ${general(start ?? first)} to ${general(end ?? last)} s: ` +
      `there is some from ${general(first)} to ${general(last)} s`,
  );
}

/**
 * The rows from start to end (s), be there any or none.
 * @template {Timed} T
 * @param {readonly T[]} rows
 * @param {Options} options
 * @returns {readonly T[]}
 */
export function inside(rows, { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY }) {
  if (start === Number.NEGATIVE_INFINITY && end === Number.POSITIVE_INFINITY) return rows;
  return rows.filter(({ time_s }) => time_s >= start && time_s <= end);
}

/**
 * The earliest row; of equal ones the first.
 * @template {Timed} T
 * @param {readonly T[]} rows some
 */
export function firstOf(rows) {
  return rows.reduce((found, row) => (row.time_s < found.time_s ? row : found));
}

/**
 * The first row with the largest value.
 * @template T
 * @param {readonly T[]} rows some
 * @param {(row: T) => number} value
 */
export function most(rows, value) {
  return rows.reduce((found, row) => (value(row) > value(found) ? row : found));
}

/**
 * The first row with the smallest value.
 * @template T
 * @param {readonly T[]} rows some
 * @param {(row: T) => number} value
 */
export function least(rows, value) {
  return rows.reduce((found, row) => (value(row) < value(found) ? row : found));
}

/**
 * The mean of what is drawn: every second counts the same, however many packets gave a value in it. (A mean over values
 * would not count a stall.)
 * @param {readonly Timed[]} rows in their order
 * @param {ArrayLike<number>} values of each row
 * @param {{step?: boolean}} [how] step: a value stays until the next row, else it is linear between
 */
export function meanOverTime(rows, values, { step = false } = {}) {
  const last = rows.length - 1;
  if (rows[0].time_s === rows[last].time_s) return mean(values);
  const areas = Float64Array.from({ length: last }, (_, i) => {
    const lasted = rows[i + 1].time_s - rows[i].time_s;
    return step ? values[i] * lasted : (lasted * (values[i + 1] + values[i])) / 2;
  });
  return sum(areas) / (rows[last].time_s - rows[0].time_s);
}
