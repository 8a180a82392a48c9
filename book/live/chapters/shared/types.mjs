// What a chapter's widgets are given, and what they give back: types, and nothing that runs.

/** @typedef {import("../../../../labkit/decode/js/result.mjs").Result} Result */
/** @typedef {Record<string, unknown>} Row */
/**
 * values: of the knobs, by name. chart: the Vega-Lite without data of the default point or, for a prediction, of its
 * result; null if there is none.
 * @typedef {{values: Record<string, string>, chart: Record<string, unknown> | null}} Context
 */
/**
 * A figure of a run. data: of the chart's datasets, by name. changes: what is otherwise in the chart: [path, value] sets,
 * [path] deletes.
 * @typedef {{data: Record<string, Row[]>, description: string, changes?: unknown[][]}} Drawn
 */
/** @typedef {Result | Result[]} Results one for a prediction of one experiment, else as many as it has */

export {};
