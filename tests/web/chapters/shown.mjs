// For the tests: what a page shows of run folders for widgets of chapters.
//
//     node shown.mjs <questions.json >answers.json
//
// questions: [{prefix, name, kind, recipe, chart, runs: [{raw: path, manifest: path}]}]. kind: of the answer of a prediction, ""
// of an explorer. answers: for each of them {told, drawn}: its summary or its answer, its chart with data or null.

import { readFileSync, writeSync } from "node:fs";
import { Result } from "../../../web/results/result.mjs";
import { chartOf, recipeOf } from "../../../web/widgets/recipes.mjs";

/**
 * @typedef {{prefix: string, name: string, kind: string, recipe: import("../../../web/programs/bundle.mjs").Recipe,
 *   chart: Record<string, unknown> | null, runs: {raw: string, manifest: string}[]}} Question
 */

/** @param {Question} question */
async function answer({ prefix, name, kind, recipe, chart, runs }) {
  const { summary, measure, draw } = await recipeOf(recipe, prefix, name);
  const results = runs.map(
    ({ raw, manifest }) => new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8"))),
  );
  const told = kind ? measure(results, kind) : summary(results[0]);
  if (draw === null || chart === null) return { told, drawn: null };
  const drawn = draw(results[0]);
  const { description, ...spec } = chartOf(drawn, chart);
  return { told, drawn: { data: drawn.data, description, spec } };
}

const answers = [];
for (const question of /** @type {Question[]} */ (JSON.parse(readFileSync(0, "utf8")))) {
  answers.push(await answer(question));
}
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
