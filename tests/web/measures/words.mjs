// For the tests: what words measure of run folders, as JSON.
//
//     node words.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path, words: [{name, flow, since}, ...]}]. answers: for each of them a list of
// {values: [[flow, value], ...], lines: [[title, text], ...]}, or of {error}.

import { readFileSync, writeSync } from "node:fs";
import { summary, valuesOf } from "../../../web/measures/word.mjs";
import { Result } from "../../../web/results/result.mjs";

/** @typedef {import("../../../web/measures/word.mjs").Word} Word */

/** @type {{raw: string, manifest: string, words: Word[]}[]} */
const questions = JSON.parse(readFileSync(0, "utf8"));
const answers = questions.map(({ raw, manifest, words }) => {
  const result = new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8")));
  return words.map((word) => {
    try {
      return { values: [...valuesOf(result, word)], lines: Object.entries(summary(result, [word])) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { error: `${error.name}: ${error.message}`, stack: error.stack };
    }
  });
});
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
