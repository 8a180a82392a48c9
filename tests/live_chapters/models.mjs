// For the tests: what the chapters' models say.
//
//     node models.mjs <calls.json >answers.json
//
// calls: [[name of a call below, ...arguments]]. answers: what each gives, or {error: message}.

import { readFileSync, writeSync } from "node:fs";
import * as arithmetic from "../../book/live/chapters/shared/arithmetic.mjs";
import { modes, rates } from "../../book/live/chapters/shared/dispersion.mjs";
import { EXPONENTIAL, fit, RISING } from "../../book/live/chapters/shared/forms.mjs";
import { Random } from "../../book/live/chapters/shared/random.mjs";
import { runsForInterval } from "../../book/live/chapters/shared/sample_size.mjs";
import { squareRootRate } from "../../book/live/chapters/shared/square_root.mjs";
import { tQuantile } from "../../book/live/chapters/shared/student.mjs";
import { floats, ints, Table, texts } from "../../labkit/decode/js/table.mjs";

const FORMS = { exponential: EXPONENTIAL, rising: RISING };

/** @type {Record<string, (...given: any[]) => unknown>} */
const CALLS = {
  ...arithmetic,
  modes,
  runsForInterval,
  squareRootRate,
  tQuantile,
  rates: (flow, train, received, size) => {
    const times = received.map((/** @type {number | null} */ at) => at ?? Number.NaN);
    return rates(new Table({ flow: texts(flow), train: ints(train), received_s: floats(times) }), size);
  },
  fit: (/** @type {keyof typeof FORMS} */ form, x, y, sigma) => fit(FORMS[form], x, y, sigma),
  below: (seed, bounds) => {
    const random = new Random(seed);
    return bounds.map((/** @type {number} */ bound) => random.below(bound));
  },
  resample: (seed, groups) => {
    const random = new Random(seed);
    return groups.map((/** @type {number[]} */ group) => random.resample(group));
  },
};

/** @param {[string, ...unknown[]]} call */
function answer([name, ...given]) {
  try {
    return CALLS[name](...given);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: error.message };
  }
}

const answers = JSON.parse(readFileSync(0, "utf8")).map(answer);
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
