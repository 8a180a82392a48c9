// For the tests: what predictions of chapters measure of run folders, and draw of them, as the page computes it.
//
//     node answers.mjs <questions.json >answers.json
//
// questions: [{chapter: prefix, widget: name, results: [{raw: path, manifest: path}], one: boolean, chart}].
// answers: for each of them {measured, drawn}: a measured answer, Drawn and its spec or null, or {error} in their place.

import { readFileSync, writeSync } from "node:fs";
import { changed } from "../../book/live/widgets/differences.mjs";
import { Result } from "../../labkit/decode/js/result.mjs";

/** @typedef {import("../../book/live/chapters/shared/types.mjs").Drawn} Drawn */
/**
 * one: is it one experiment, or a list of them. chart: of the result, without data and words; null if there is none.
 * @typedef {{chapter: string, widget: string, results: {raw: string, manifest: string}[], one: boolean,
 *   chart: Record<string, unknown> | null}} Question
 */

/**
 * @param {() => unknown} work
 * @returns {unknown} what it gives, or the error that it raises
 */
function tried(work) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: { name: error.name, message: error.message, stack: error.stack } };
  }
}

/** @param {Question} question */
async function answer({ chapter, widget, results, one, chart }) {
  const { widgets } = await import(`../../book/live/chapters/${chapter}.mjs`);
  const read = results.map(
    ({ raw, manifest }) => new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8"))),
  );
  const given = one ? read[0] : read;
  const { measure, draw } = widgets[widget];
  const context = { values: {}, chart };
  return {
    measured: tried(() => measure(given, context)),
    drawn: tried(() => (draw === undefined ? null : whole(draw(given, context), chart ?? {}))),
  };
}

/**
 * @param {Drawn} drawn
 * @param {Record<string, unknown>} chart
 */
function whole({ data, description, changes }, chart) {
  return { data, description, spec: changed(chart, /** @type {any} */ (changes ?? [])) };
}

const answers = [];
for (const question of /** @type {Question[]} */ (JSON.parse(readFileSync(0, "utf8")))) {
  answers.push(await answer(question));
}
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
