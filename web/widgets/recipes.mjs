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
import { fewer, MOST, xFields } from "./fewer_rows.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../charts/figure.mjs").Figure} Figure */
/** @typedef {import("./points.mjs").Json} Json */
/** @typedef {import("./points.mjs").Point} Point */
/** @typedef {{data: Record<string, Json[]>, description: string, chart?: Json}} Drawn chart: if it is not the recorded one */
/**
 * As a chapter's call in Python has it: `summary=` of an explorer, the answer of a question, `chart=`.
 * @typedef {{summary: (result: Result) => Record<string, string>,
 *   measure: (results: Result[], kind: string) => number | number[],
 *   draw: ((result: Result) => Drawn) | null}} Recipe
 */

/**
 * What a page's laboratory for a widget is made of.
 * @typedef {{lab: import("../lab/lab.mjs").Lab, widget: import("../programs/widget.mjs").Widget, recipe: Recipe,
 *   bits: import("../programs/bits.mjs").Bits}} Parts
 */

/** @type {Readonly<Record<string, (result: Result, options: any) => Figure>>} */
const FIGURES = { cwnd, delay, goodput, queue, rtt, time_sequence: timeSequence };
const FRAME = new Set(["$schema", "config", "usermeta"]); // what no run changes

/**
 * @param {import("../programs/bundle.mjs").Recipe} recipe
 * @param {string} prefix of the chapter: "19"
 * @param {string} name of the widget
 * @returns {Promise<Recipe>}
 */
export async function recipeOf({ words, figures }, prefix, name) {
  const own = figures === "own" ? (await import(`../chapters/${prefix}.mjs`)).figures[name] : null;
  return {
    summary: (result) => summary(result, words),
    measure: (results, kind) =>
      kind === "curve" ? results.map((result) => numberOf([result], words[0])) : numberOf(results, words[0]),
    draw: Array.isArray(figures) ? (result) => drawnBy(figures, result) : own,
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
 * What a recipe draws of a result, as a chart without data. recorded: the chart of the default point, which has the look that
 * all of a widget's charts have.
 * @param {Drawn} drawn
 * @param {Json} recorded
 * @returns {Json}
 */
export function chartOf({ chart, description }, recorded) {
  const frame = Object.entries(recorded).filter(([key]) => !chart || FRAME.has(key));
  return { ...Object.fromEntries(frame), ...chart, description };
}

/**
 * A run of this page as an explorer draws it.
 * @param {Result} result
 * @param {Recipe} recipe
 * @param {Json} recorded see chartOf
 * @returns {Point}
 */
export function pointOf(result, recipe, recorded) {
  const summary = Object.entries(recipe.summary(result));
  if (recipe.draw === null) throw new TypeError("an explorer without a chart");
  let drawn;
  try {
    drawn = recipe.draw(result);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "EmptyFigureError") throw error;
    return { summary, empty: error.message };
  }
  const { description, usermeta, ...chart } = chartOf(drawn, recorded);
  const fields = xFields(chart);
  const data = Object.entries(drawn.data).map(([name, rows]) => [name, fewer(rows, MOST, fields)]);
  return { summary, description, chart, data: Object.fromEntries(data) };
}
