// @ts-check
/* A run of this page as a point of an explorer's payload: its figures in words, its chart as patches of the frame that
 * all runs share, its rows as columns. What is drawn and summed up is the chapter's affair. */

import { changed, columns, patches } from "./differences.mjs";
import { fewer, MOST, xFields } from "./fewer.mjs";

/** @typedef {import("./overlay.mjs").Json} Json */
/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./recipes.mjs").Recipe} Recipe */
/** @typedef {import("./recipes.mjs").Context} Context */
/**
 * turned: where its knobs stood, in words; where: what ran it.
 * @typedef {{summary: [string, string][], turned: string, where: string, description?: string, empty?: string,
 *   patch?: import("./differences.mjs").Change[][], data?: Record<string, Json>}} Point
 */

/**
 * @param {Result} result
 * @param {{recipe: Recipe, context: Context, runs: number, turned: string, where: string}} how
 * @returns {Point}
 */
export function livePoint(result, { recipe, context, runs, turned, where }) {
  const summary = Object.entries(recipe.summary(result));
  const { draw } = recipe;
  if (draw === null) throw new TypeError("an explorer without a chart");
  let drawn;
  try {
    drawn = draw(result, context);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "EmptyFigureError") throw error;
    return { summary, turned, where, empty: error.message };
  }
  const spec = changed({ ...context.chart, description: drawn.description }, drawn.changes ?? []);
  const fields = xFields(spec);
  const data = Object.entries(drawn.data).map(([name, rows]) => [name, columns(fewer(rows, MOST, fields))]);
  return {
    summary,
    turned,
    where,
    description: String(spec.description ?? ""),
    patch: patches(context.chart, spec, runs),
    data: Object.fromEntries(data),
  };
}

/**
 * Whether a run has the figures of a recorded one. Rows are not compared: recorded ones are fewer.
 * @param {Point} one
 * @param {Point} other
 */
export function isSame(one, other) {
  return (
    JSON.stringify([one.summary, one.description, one.empty]) ===
    JSON.stringify([other.summary, other.description, other.empty])
  );
}
