// For the tests: films of run folders as JSON, as the page's own code makes them.
//
//     node dump.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path, options}]. answers: for each of them {error} or {film}.

import { readFileSync, writeSync } from "node:fs";
import { filmOf } from "../../../web/player/player.mjs";
import { Result } from "../../../web/results/result.mjs";

/** @typedef {{raw: string, manifest: string, options: import("../../../web/player/player.mjs").Options}} Question */

/** @param {Question} question */
function answer({ raw, manifest, options }) {
  try {
    const result = new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8")));
    return { film: filmOf(result, options) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: { name: error.name, message: error.message, stack: error.stack } };
  }
}

/** @type {Question[]} */
const questions = JSON.parse(readFileSync(0, "utf8"));
const bytes = Buffer.from(JSON.stringify(questions.map(answer)));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
