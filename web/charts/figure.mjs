// What every figure has: data by fixed names, a description, a drawing that names the data.
//
// Values are rounded before they enter a figure, so that it is the same one on every machine: DIGITS says how far.

/** @typedef {Record<string, number | string | boolean | null>} Row */
/** @typedef {Record<string, any>} Json */
/**
 * chart: Vega-Lite without data, configuration and words.
 * @typedef {{data: Record<string, Row[]>, description: string, chart: Json}} Figure
 */

/** Decimals. Times: 0.1 ms in overviews, 1 µs where single packets are to be seen. */
export const DIGITS = Object.freeze({ time: 4, packetTime: 6, ms: 3, mbit: 3, share: 4, packets: 2 });

/** A figure of nothing; names the figure, what is missing, and what would be right. */
export class EmptyFigureError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "EmptyFigureError";
  }
}

/** A figure that cannot be drawn as asked for; names the argument and what would be right. */
export class FigureError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "FigureError";
  }
}

/**
 * The rows, of which there are some.
 * @template T
 * @param {readonly T[]} rows
 * @param {string} figure
 * @param {string} lacks
 * @param {string} cure
 * @throws {EmptyFigureError}
 */
export function filled(rows, figure, lacks, cure) {
  if (rows.length === 0) throw new EmptyFigureError(`${figure}: nothing to draw: ${lacks}: ${cure}`);
  return rows;
}
