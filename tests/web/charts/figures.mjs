// For the tests: the figures of run folders, as JSON.
//
//     node figures.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path, ask: [[figure, options], ...]}]. answers: for each of them a list of figures, or of
// {error: {name, message}}.

import { readFileSync, writeSync } from "node:fs";
import { cwnd } from "../../../web/charts/cwnd.mjs";
import { delay } from "../../../web/charts/delay.mjs";
import { goodput } from "../../../web/charts/goodput.mjs";
import { queue } from "../../../web/charts/queue_length.mjs";
import { rtt } from "../../../web/charts/rtt.mjs";
import { timeSequence } from "../../../web/charts/time_sequence.mjs";
import { Result } from "../../../web/results/result.mjs";

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
