// What Python asks of the bench's modules: a list of questions in JSON on the standard input, the answers on the
// standard output.

import { asCode } from "../../book/live/bench/as_code.mjs";
import { experimentOf } from "../../book/live/bench/experiment.mjs";
import { newForm, withShape } from "../../book/live/bench/form.mjs";
import { notebook, wholeCode } from "../../book/live/bench/notebook.mjs";
import { PRESETS } from "../../book/live/bench/presets.mjs";
import { formOf } from "../../book/live/bench/reading.mjs";
import { tries } from "../../book/live/bench/recognised.mjs";
import { SHAPES } from "../../book/live/bench/shapes.mjs";
import { randomForm } from "./random_forms.mjs";

/** @param {any} json */
function both(json) {
  const { form, beyond } = formOf(json);
  return { json, code: asCode(json), again: experimentOf(form), beyond };
}

/** @param {any} value @param {any} over */
function merged(value, over) {
  for (const [name, one] of Object.entries(over)) {
    if (one !== null && typeof one === "object" && !Array.isArray(one) && name in value)
      merged(value[name], one);
    else value[name] = one;
  }
  return value;
}

/** @type {Record<string, (argument: any) => unknown>} */
const ANSWERS = {
  random: (seed) => both(experimentOf(randomForm(seed))),
  read: both,
  shapes: () =>
    SHAPES.flatMap((shape) =>
      tries(shape).map((numbers) => ({
        kind: shape.kind,
        numbers,
        ...both(experimentOf(withShape(newForm(), shape.kind, numbers))),
      })),
    ),
  filled: ({ shape, numbers, form }) => experimentOf(merged(withShape(newForm(), shape, numbers), form)),
  presets: () => PRESETS.map(({ title, experiment }) => ({ title, ...both(experiment) })),
  notebook: (json) => ({ file: notebook(json), code: wholeCode(json) }),
};

let text = "";
for await (const part of process.stdin) text += part;
const answers = /** @type {[string, any][]} */ (JSON.parse(text)).map(([name, argument]) =>
  ANSWERS[name](argument),
);
process.stdout.write(JSON.stringify(answers));
