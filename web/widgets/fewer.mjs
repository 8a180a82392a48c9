// @ts-check
/* Fewer rows of a chart's data that look the same: `fewer` of labkit/widgets/payload.py, with the thinning of
 * labkit/charts/sampling.py, over rows. */

/** @typedef {import("./overlay.mjs").Json} Json */

/** So many rows of a dataset are drawn at most, as of a recorded run. */
export const MOST = 1500;

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
  const series = seriesOf(
    rows,
    names.filter((name) => !known.includes(name)),
  );
  const share = Math.max(Math.floor(most / values.length), 2);
  const kept = new Set(values.flatMap((value) => thin(rows, { x, value, series, most: share })));
  return [...kept].sort((one, other) => one - other).map((i) => rows[i]);
}

/**
 * Which rows stay: per series and bucket of x the smallest and the largest value, and the ends of each series.
 * @param {Json[]} rows
 * @param {{x: string, value: string, series: number[], most: number}} how
 * @returns {number[]}
 */
function thin(rows, { x, value, series, most }) {
  const all = rows.map((_, i) => i).filter((i) => isNumber(rows[i][value]));
  const ends = endsOf(all, series);
  const at = all.map((i) => Number(rows[i][x]));
  const low = at.reduce((least, one) => Math.min(least, one), Infinity);
  const width = at.reduce((largest, one) => Math.max(largest, one), -Infinity) - low || 1;
  let kept = all;
  for (let buckets = most; kept.length > most && buckets >= 1; buckets = Math.floor((buckets * 3) / 4)) {
    const bucket = (/** @type {number} */ i) =>
      series[i] * buckets + Math.min(Math.trunc(((rows[i][x] - low) / width) * buckets), buckets - 1);
    kept = [...new Set([...extremes(all, bucket, rows, value), ...ends])];
  }
  return kept;
}

/**
 * @param {number[]} all
 * @param {(row: number) => number} bucket
 * @param {Json[]} rows
 * @param {string} value
 */
function extremes(all, bucket, rows, value) {
  /** @type {Map<number, [number, number]>} */
  const found = new Map();
  for (const i of all) {
    const key = bucket(i);
    const known = found.get(key);
    if (known === undefined) found.set(key, [i, i]);
    else if (rows[i][value] < rows[known[0]][value]) known[0] = i;
    else if (rows[i][value] > rows[known[1]][value]) known[1] = i;
  }
  return [...found.values()].flat();
}

/**
 * @param {number[]} all
 * @param {number[]} series
 */
function endsOf(all, series) {
  /** @type {Map<number, [number, number]>} */
  const found = new Map();
  for (const i of all) {
    const known = found.get(series[i]);
    if (known === undefined) found.set(series[i], [i, i]);
    else known[1] = i;
  }
  return [...found.values()].flat();
}

/**
 * The number of each row's series: rows with the same texts are of one.
 * @param {Json[]} rows
 * @param {string[]} names
 */
function seriesOf(rows, names) {
  /** @type {Map<string, number>} */
  const known = new Map();
  return rows.map((row) => {
    const key = JSON.stringify(names.map((name) => row[name] ?? null));
    if (!known.has(key)) known.set(key, known.size);
    return known.get(key) ?? 0;
  });
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
