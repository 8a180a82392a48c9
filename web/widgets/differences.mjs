// @ts-check
/* What a chart changes of the frame that all runs of an explorer share, and its rows as columns: what
 * labkit/widgets/payload.py writes into a recording, made here of a run of this page. */

import { canOverlay, overlay, RUNS } from "./overlay.mjs";

/** @typedef {import("./overlay.mjs").Json} Json */
/** @typedef {(string | number)[]} Path */
/** @typedef {[Path, any] | [Path]} Change [path, value] sets, [path] deletes */

const DIGITS = 5;

/**
 * What makes `now` of `old`.
 * @param {any} old
 * @param {any} now
 * @param {Path} [path]
 * @returns {Change[]}
 */
export function diff(old, now, path = []) {
  if (isObject(old) && isObject(now)) {
    /** @type {Change[]} */
    const found = Object.keys(old)
      .filter((key) => !(key in now))
      .map((key) => [[...path, key]]);
    for (const [key, item] of Object.entries(now)) {
      const here = [...path, key];
      found.push(...(key in old ? diff(old[key], item, here) : [/** @type {Change} */ ([here, item])]));
    }
    return found;
  }
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    return old.flatMap((item, i) => diff(item, now[i], [...path, i]));
  }
  return isSame(old, now) ? [] : [[path, now]];
}

/**
 * A copy of a chart with these changes.
 * @param {Json} spec
 * @param {Change[]} changes
 * @returns {Json}
 */
export function changed(spec, changes) {
  let made = structuredClone(spec);
  for (const [path, ...value] of structuredClone(changes)) {
    const last = path.at(-1);
    if (last === undefined) {
      made = value[0];
      continue;
    }
    const part = path.slice(0, -1).reduce((/** @type {any} */ inner, step) => inner[step], made);
    if (value.length) part[last] = value[0];
    else delete part[last];
  }
  return made;
}

/**
 * How many runs fit into one picture of this chart.
 * @param {Json} chart
 */
export function runsOf(chart) {
  return canOverlay(chart) ? RUNS : 1;
}

/**
 * The runs in one picture, the first being the current one.
 * @param {Json[]} runs
 * @returns {Json}
 */
export function placed(runs) {
  const { description, usermeta, ...bare } = runs[0];
  return runs.length > 1 ? overlay(bare, runs.slice(1)) : bare;
}

/**
 * For each place in the picture what to change in the frame when this run stands there.
 * @param {Json} chart the default point's
 * @param {Json} spec this run's
 * @param {number} runs
 * @returns {Change[][]}
 */
export function patches(chart, spec, runs) {
  const everywhere = Array(runs).fill(chart);
  const base = placed(everywhere);
  return everywhere.map((_, place) => diff(base, placed(everywhere.with(place, spec))));
}

/**
 * Rows as columns of rounded numbers, constants and texts once each.
 * @param {Json[]} rows
 * @returns {Json}
 */
export function columns(rows) {
  /** @type {Json} */
  const packed = { "": rows.length };
  for (const name of new Set(rows.flatMap(Object.keys))) {
    packed[name] = column(rows.map((row) => plain(row[name])));
  }
  return packed;
}

/** @param {any[]} values */
function column(values) {
  if (new Set(values.map((value) => JSON.stringify(value))).size === 1) return { is: values[0] };
  if (values.every((value) => typeof value === "string")) {
    const of = [...new Set(values)];
    const places = new Map(of.map((text, i) => [text, i]));
    return { of, at: values.map((text) => places.get(text)).join(" ") };
  }
  if (values.every((value) => value === null || typeof value === "number")) {
    return { n: values.map((value) => value ?? "-").join(" ") };
  }
  return values;
}

/** @param {any} value */
function plain(value) {
  if (value === undefined || typeof value === "bigint") return value === undefined ? null : Number(value);
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null;
}

/** @param {any} value */
function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
function isSame(one, other) {
  if (one === null || typeof one !== "object" || other === null || typeof other !== "object")
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && isSame(one[key], other[key]))
  );
}
