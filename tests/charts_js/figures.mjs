// For the tests: the figures of run folders, as JSON.
//
//     node figures.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path, ask: [[figure, options], ...]}]. answers: for each of them a list of figures, or of
// {error: {name, message}}.

import { readFileSync, writeSync } from "node:fs";
import { cwnd } from "../../labkit/charts/js/cwnd.mjs";
import { delay } from "../../labkit/charts/js/delay.mjs";
import { goodput } from "../../labkit/charts/js/goodput.mjs";
import { queue } from "../../labkit/charts/js/queue_length.mjs";
import { rtt } from "../../labkit/charts/js/rtt.mjs";
import { timeSequence } from "../../labkit/charts/js/time_sequence.mjs";
import { Result } from "../../labkit/decode/js/result.mjs";

/** @typedef {{raw: string, manifest: string, ask: [figure: string, options: object][]}} Question */

/** @type {Record<string, (result: Result, options: any) => unknown>} */
const FIGURES = {
  cwnd,
  delay,
  goodput,
  queue,
  rtt,
  time_sequence: timeSequence,
};

/** @type {Question[]} */
const questions = JSON.parse(readFileSync(0, "utf8"));
const answers = questions.map(({ raw, manifest, ask }) => {
  const result = new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8")));
  return ask.map(([figure, options]) => {
    try {
      return FIGURES[figure](result, options);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { error: { name: error.name, message: error.message, stack: error.stack } };
    }
  });
});
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
