// For the tests: what explorers of chapters show of run folders, as JSON, as the page computes it.
//
//     node dump.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path, chapter: prefix, widget: name, values, chart}].
// answers: for each of them {drawn, summary}, each in place of it {error}.

import { readFileSync, writeSync } from "node:fs";
import { changed } from "../../book/live/widgets/differences.mjs";
import { summarised } from "../../book/live/widgets/live_point.mjs";
import { Result } from "../../labkit/decode/js/result.mjs";

/**
 * @typedef {import("../../book/live/widgets/live_point.mjs").Context} Context
 * @typedef {{raw: string, manifest: string, chapter: string, widget: string, values: Record<string, string>,
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

/** @type {Question[]} */
const questions = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const { raw, manifest, chapter, widget, values, chart } of questions) {
  const { widgets } = await import(`../../book/live/chapters/explorers/${chapter}.mjs`);
  const result = new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8")));
  const context = /** @type {Context} */ ({ values, chart });
  answers.push({
    drawn: tried(() => {
      const { data, description, changes } = widgets[widget].draw(result, context);
      return { data, description, spec: changed(chart ?? {}, changes ?? []) };
    }),
    summary: tried(() => Object.fromEntries(summarised(widgets[widget], result, context))),
  });
}
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
