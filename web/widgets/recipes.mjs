// @ts-check
/* What a live run is shown by: words measure it, labkit's figures draw it, or the chapter's own do. */

import { cwnd } from "../charts/cwnd.mjs";
import { delay } from "../charts/delay.mjs";
import { goodput } from "../charts/goodput.mjs";
import { queue } from "../charts/queue_length.mjs";
import { rtt } from "../charts/rtt.mjs";
import { stacked } from "../charts/stack.mjs";
import { timeSequence } from "../charts/time_sequence.mjs";
import { numberOf, summary } from "../measures/word.mjs";
import { diff } from "./differences.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../charts/figure.mjs").Figure} Figure */
/** @typedef {import("./overlay.mjs").Json} Json */
/**
 * @typedef {{data: Record<string, Json[]>, description: string, changes?: import("./differences.mjs").Change[]}} Drawn
 */
/** @typedef {{values: Record<string, string>, chart: Json}} Context chart: the default point's, without data */
/**
 * As a chapter's call in Python has it: `summary=` of an explorer, the answer of a question, `chart=`.
 * @typedef {{summary: (result: Result) => Record<string, string>,
 *   measure: (results: Result[], kind: string) => number | number[],
 *   draw: ((result: Result, context: Context) => Drawn) | null}} Recipe
 */

/** @type {Readonly<Record<string, (result: Result, options: any) => Figure>>} */
const FIGURES = { cwnd, delay, goodput, queue, rtt, time_sequence: timeSequence };
const FRAME = new Set(["$schema", "config", "description", "usermeta", "datasets"]); // what no run changes

/**
 * @param {import("../programs/bundle.mjs").Recipe} recipe
 * @param {string} prefix of the chapter: "13b"
 * @param {string} name of the widget
 * @returns {Promise<Recipe>}
 */
export async function recipeOf({ words, figures }, prefix, name) {
  const own = figures === "own" ? (await import(`../chapters/${prefix}.mjs`)).figures[name] : null;
  return {
    summary: (result) => summary(result, words),
    measure: (results, kind) =>
      kind === "curve" ? results.map((result) => numberOf([result], words[0])) : numberOf(results, words[0]),
    draw: Array.isArray(figures) ? (result, context) => drawn(drawnBy(figures, result), context) : own,
  };
}

/**
 * One figure, or several above each other.
 * @param {{name: string, options: any}[]} figures
 * @param {Result} result
 */
function drawnBy(figures, result) {
  const parts = figures.map(({ name, options }) => FIGURES[name](result, options));
  return parts.length > 1 ? stacked(...parts) : parts[0];
}

/**
 * A figure of labkit's as a widget takes it: with what is another in its chart than in the default point's.
 * @param {Figure} figure
 * @param {Context} context
 * @returns {Drawn}
 */
function drawn({ data, description, chart }, context) {
  const old = Object.entries(context.chart ?? {}).filter(([key]) => !FRAME.has(key));
  return { data, description, changes: diff(Object.fromEntries(old), chart) };
}
