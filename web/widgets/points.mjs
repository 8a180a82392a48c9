// @ts-check
/* A run as an explorer draws it: its chart, its rows, its figures in words. Recorded ones, and those of a notebook's
 * kernel, have their rows packed as columns: see labkit/widgets/payload.py. */

import { wordsOf } from "./spelled.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {(view: HTMLElement, spec: any, how: {data?: Record<string, any[]>}) => Promise<unknown>} Draw */
/**
 * values, seed: where its knobs stood, and its seed if that was typed; empty: why there is no figure, in place of a chart,
 * its rows and a description; where: what has run it; isToTheBit: whether the kernel gave what it gave for the recording.
 * @typedef {{summary: [string, string][], values?: Record<string, string>, seed?: number, description?: string,
 *   chart?: Json, data?: Record<string, Json[]>, empty?: string, where?: string, isToTheBit?: boolean}} Point
 */

export const FORMAT = 2;

/**
 * Refuses what another labkit has recorded.
 * @param {Json} payload
 */
export function check({ format }) {
  if (format === FORMAT) return;
  throw new Error(
    `it was recorded by another labkit (format ${format}, this page reads ${FORMAT}). Record the chapter again.`,
  );
}

/**
 * Every point of the grid by what it is called.
 * @param {Json} payload
 * @returns {Map<string, Point>}
 */
export function recorded({ knobs, charts, points }) {
  return new Map(
    Object.entries(points).map(([key, held]) => {
      const places = key.split(",");
      const texts = knobs.map((/** @type {Json} */ knob, /** @type {number} */ i) => [
        knob.name,
        knob.texts[places[i]],
      ]);
      const values = Object.fromEntries(texts);
      return [wordsOf(knobs, values), unpacked({ ...held, values }, charts[held.chart])];
    }),
  );
}

/**
 * Its rows are made when somebody asks for them.
 * @param {Json} held
 * @param {Json | undefined} chart
 * @returns {Point}
 */
export function unpacked({ data: packed, ...held }, chart) {
  /** @type {Record<string, Json[]> | undefined} */
  let data;
  return {
    .../** @type {Point} */ (held),
    chart,
    get data() {
      data ??= Object.fromEntries(
        Object.entries(packed ?? {}).map(([name, columns]) => [name, rowsOf(columns)]),
      );
      return data;
    },
  };
}

/**
 * Columns to rows.
 * @param {Json} columns
 * @returns {Json[]}
 */
function rowsOf({ "": count, ...columns }) {
  const values = Object.entries(columns).map(([name, packed]) => [name, columnOf(packed, count)]);
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(values.map(([name, all]) => [name, all[i]])),
  );
}

/**
 * @param {any} packed
 * @param {number} count
 */
function columnOf(packed, count) {
  if (Array.isArray(packed)) return packed;
  if ("is" in packed) return Array(count).fill(packed.is);
  if ("of" in packed) return packed.at.split(" ").map((/** @type {string} */ i) => packed.of[Number(i)]);
  return packed.n.split(" ").map((/** @type {string} */ text) => (text === "-" ? null : Number(text)));
}

/**
 * Whether two runs have the same figures. Rows are not compared: recorded ones are fewer.
 * @param {Point} one
 * @param {Point} other
 */
export function isSame(one, other) {
  return (
    JSON.stringify([one.summary, one.description, one.empty]) ===
    JSON.stringify([other.summary, other.description, other.empty])
  );
}
