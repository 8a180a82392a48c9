// Fewer rows that look the same: what a picture of some hundred pixels cannot show is left out.
//
// No extreme is: every bucket of time keeps its smallest and its largest value where they were.

import { least, most } from "./numpy_arithmetic.mjs";

/** @typedef {import("./figure.mjs").Row} Row */

const MAX_ROWS = 850; // of one figure, some 50 bytes each as JSON: three figures make 150 kB

/**
 * A number, from 0 on, for each text in the order of their coming.
 * @param {readonly Row[]} rows
 * @param {string} by
 * @returns {[Int32Array, number]} of each row, and how many there are
 */
function groupsOf(rows, by) {
  /** @type {Map<unknown, number>} */
  const numbers = new Map();
  const found = Int32Array.from(rows, (row) => {
    const known = numbers.get(row[by]);
    if (known !== undefined) return known;
    numbers.set(row[by], numbers.size);
    return numbers.size - 1;
  });
  return [found, numbers.size];
}

/**
 * Of each group its first and last row.
 * @param {Int32Array} group
 * @param {number} groups
 */
function endsOf(group, groups) {
  const first = new Int32Array(groups).fill(-1);
  const last = new Int32Array(groups);
  group.forEach((number, i) => {
    if (first[number] < 0) first[number] = i;
    last[number] = i;
  });
  return { first, last };
}

/**
 * The number of the bucket, of equal ones from the smallest x to the largest.
 * @param {Float64Array} x
 * @param {number} buckets
 */
function bucketsOf(x, buckets) {
  const low = least(x);
  const width = most(x) - low || 1;
  return Int32Array.from(x, (at) => Math.min(Math.trunc(((at - low) / width) * buckets), buckets - 1));
}

/**
 * @param {readonly Row[]} rows
 * @param {string} column
 */
function numbersOf(rows, column) {
  return Float64Array.from(rows, (row) => /** @type {number} */ (row[column]));
}

/**
 * Of a step function, the rows where it changes, and each series' last. Loses nothing.
 * @template {Row} T
 * @param {readonly T[]} rows
 * @param {string} value
 * @param {string} by
 * @returns {T[]}
 */
export function steps(rows, value, by) {
  const [group, groups] = groupsOf(rows, by);
  const { last } = endsOf(group, groups);
  /** @type {unknown[]} */
  const before = new Array(groups).fill(Number.NaN);
  return rows.filter((row, i) => {
    const changed = row[value] !== before[group[i]];
    before[group[i]] = row[value];
    return changed || last[group[i]] === i;
  });
}

/**
 * Marks the rows that hold the smallest and the largest value of each key; of equal ones the first.
 * @param {Float64Array} values
 * @param {Int32Array} keys of each row
 * @param {number} count of keys
 * @param {Uint8Array} kept
 */
function markExtremes(values, keys, count, kept) {
  const low = new Int32Array(count).fill(-1);
  const high = new Int32Array(count).fill(-1);
  for (let i = 0; i < values.length; i++) {
    const key = keys[i];
    if (low[key] < 0) low[key] = high[key] = i;
    else if (values[i] < values[low[key]]) low[key] = i;
    else if (values[i] > values[high[key]]) high[key] = i;
  }
  for (const found of [low, high]) for (const row of found) if (row >= 0) kept[row] = 1;
}

/**
 * At most about `most` rows: per series and bucket of x the smallest and the largest value.
 *
 * Each keeps its own x; of equal ones the first is kept. The first and the last row of each series stay as well. Rows
 * without a value go.
 * @template {Row} T
 * @param {readonly T[]} rows
 * @param {string} x
 * @param {string} value
 * @param {string} by
 * @param {number} [limit]
 * @returns {T[]}
 */
export function thin(rows, x, value, by, limit = MAX_ROWS) {
  const table = rows.filter((row) => row[value] !== null && !Number.isNaN(row[value]));
  const [group, groups] = groupsOf(table, by);
  const { first, last } = endsOf(group, groups);
  const [at, values] = [numbersOf(table, x), numbersOf(table, value)];
  const kept = new Uint8Array(table.length).fill(1);
  for (let buckets = limit; marked(kept) > limit && buckets >= 1; buckets = Math.floor((buckets * 3) / 4)) {
    const width = buckets;
    const keys = bucketsOf(at, buckets).map((bucket, i) => group[i] * width + bucket);
    kept.fill(0);
    for (const ends of [first, last]) for (const row of ends) kept[row] = 1;
    markExtremes(values, keys, groups * width, kept);
  }
  return table.filter((_, i) => kept[i] === 1);
}

/** @param {Uint8Array} kept */
function marked(kept) {
  let count = 0;
  for (const one of kept) count += one;
  return count;
}

/**
 * The value of a step function (time_s in order) at each of these times; before its first row it has the value of that.
 * @param {readonly Row[]} rows
 * @param {string} value
 * @param {readonly number[]} times
 * @returns {number[]}
 */
export function lastBefore(rows, value, times) {
  return times.map((time) => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (/** @type {number} */ (rows[middle].time_s) <= time) low = middle + 1;
      else high = middle;
    }
    return /** @type {number} */ (rows[Math.max(low - 1, 0)][value]);
  });
}

/**
 * At most about `limit` events that all look alike: per series and bucket of x the first one.
 * @template {Row} T
 * @param {readonly T[]} rows
 * @param {string} x
 * @param {string} by
 * @param {number} limit
 * @returns {T[]}
 */
export function firstOfEach(rows, x, by, limit) {
  if (rows.length <= limit) return [...rows];
  const [group, groups] = groupsOf(rows, by);
  const buckets = Math.max(1, Math.floor(limit / groups));
  const bucket = bucketsOf(numbersOf(rows, x), buckets);
  const seen = new Set();
  return rows.filter((_, i) => {
    const key = group[i] * buckets + bucket[i];
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * Vertical spans, joined where they touch within one bucket of x: what is covered stays covered.
 *
 * Buckets are made wider until there are at most about `limit` spans. A joined span stands at the x of its first part.
 * @param {readonly Row[]} rows
 * @param {string} x
 * @param {string} low
 * @param {string} high
 * @param {string} by
 * @param {number} [limit]
 * @returns {Row[]}
 */
export function spans(rows, x, low, high, by, limit = MAX_ROWS) {
  /** @type {(row: Row) => Row} */
  const told = (row) => ({ [x]: row[x], [by]: row[by], [low]: row[low], [high]: row[high] });
  const table = stable(rows.map(told), (a, b) => difference(a, b, x));
  let joined = table;
  for (let buckets = limit; joined.length > limit && buckets >= 1; buckets = Math.floor(buckets / 2)) {
    joined = joinedBy(table, bucketsOf(numbersOf(table, x), buckets), { x, low, high, by });
  }
  return joined;
}

/**
 * @param {readonly Row[]} table
 * @param {Int32Array} bucket of each row
 * @param {{x: string, low: string, high: string, by: string}} columns
 */
function joinedBy(table, bucket, { x, low, high, by }) {
  const placed = table.map((row, i) => ({ row, bucket: bucket[i] }));
  const ordered = stable(
    placed,
    (a, b) => difference(a.row, b.row, by) || a.bucket - b.bucket || difference(a.row, b.row, low),
  );
  /** @type {Row[]} */
  const joined = [];
  /** @type {{row: Row, bucket: number} | null} */
  let before = null;
  for (const one of ordered) {
    const last = joined[joined.length - 1];
    const same = before !== null && before.bucket === one.bucket && before.row[by] === one.row[by];
    if (same && /** @type {number} */ (one.row[low]) <= /** @type {number} */ (last[high])) {
      last[x] = Math.min(Number(last[x]), Number(one.row[x]));
      last[high] = Math.max(Number(last[high]), Number(one.row[high]));
    } else {
      joined.push({ ...one.row });
    }
    before = one;
  }
  return stable(joined, (a, b) => difference(a, b, x));
}

/**
 * @param {Row} a
 * @param {Row} b
 * @param {string} column of numbers or texts
 */
function difference(a, b, column) {
  const [left, right] = [/** @type {any} */ (a[column]), /** @type {any} */ (b[column])];
  return left < right ? -1 : Number(left > right);
}

/**
 * @template T
 * @param {readonly T[]} rows
 * @param {(a: T, b: T) => number} compared
 */
function stable(rows, compared) {
  return [...rows].sort(compared);
}
