// @ts-check
/* Fewer rows of a chart's data that look the same: `fewer` of labkit/widgets/payload.py. */

import { thin } from "../charts/sampling.mjs";

/** @typedef {import("./points.mjs").Json} Json */

/** So many rows of a dataset are drawn at most, as of a recorded run. */
export const MOST = 1500;

const [ROW, SERIES] = ["_row", "_series"];

/**
 * The fields that any view of a chart has on its x axis.
 * @param {any} part
 * @returns {Set<string>}
 */
export function xFields(part) {
  if (part === null || typeof part !== "object") return new Set();
  const inner = Object.values(part).flatMap((item) => [...xFields(item)]);
  const own = !Array.isArray(part) && typeof part.x?.field === "string" ? [part.x.field] : [];
  return new Set([...own, ...inner]);
}

/**
 * At most about `most` rows; the extremes of every numeric column stay, per series.
 * @param {Json[]} rows
 * @param {number} most
 * @param {Set<string>} fields on x axes
 * @returns {Json[]}
 */
export function fewer(rows, most, fields) {
  if (rows.length <= most) return rows;
  const names = [...new Set(rows.flatMap(Object.keys))];
  const numeric = names.filter((name) => rows.every((row) => isMissing(row[name]) || isNumber(row[name])));
  const known = numeric.filter((name) => rows.some((row) => isNumber(row[name])));
  if (!known.length) return rows.filter((_, i) => i % Math.ceil(rows.length / most) === 0);
  const x = known.find((name) => fields.has(name)) ?? known[0];
  const varied = known.filter((name) => name !== x && hasTwo(rows, name));
  const values = varied.length ? varied : [x];
  const texts = names.filter((name) => !known.includes(name));
  const marked = rows.map((row, i) => ({ ...row, [ROW]: i, [SERIES]: seriesOf(row, texts) }));
  const share = Math.max(Math.floor(most / values.length), 2);
  const kept = new Set(
    values.flatMap((value) => thin(marked, x, value, SERIES, share).map((row) => row[ROW])),
  );
  return rows.filter((_, i) => kept.has(i));
}

/**
 * What tells a row's series: rows with the same texts are of one.
 * @param {Json} row
 * @param {string[]} texts
 */
function seriesOf(row, texts) {
  return JSON.stringify(texts.map((name) => row[name] ?? null));
}

/**
 * @param {Json[]} rows
 * @param {string} name
 */
function hasTwo(rows, name) {
  const first = rows.find((row) => isNumber(row[name]))?.[name];
  return rows.some((row) => isNumber(row[name]) && row[name] !== first);
}

/** @param {unknown} value */
function isNumber(value) {
  return typeof value === "number" && !Number.isNaN(value);
}

/** @param {unknown} value */
function isMissing(value) {
  return value === null || value === undefined || Number.isNaN(value);
}
