// What Python asks of the bench's modules: a list of questions in JSON on the standard input, the answers on the
// standard output.

import { asCode } from "../../../web/bench/as_code.mjs";
import { experimentOf } from "../../../web/bench/experiment.mjs";
import { newForm, withShape } from "../../../web/bench/form.mjs";
import { notebook, wholeCode } from "../../../web/bench/notebook.mjs";
import { PRESETS } from "../../../web/bench/presets.mjs";
import { formOf } from "../../../web/bench/reading.mjs";
import { tries } from "../../../web/bench/recognised.mjs";
import { SHAPES } from "../../../web/bench/shapes.mjs";
import { faultOf, typedValue } from "../../../web/bench/units.mjs";
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
  faults: ({ text, quantity }) => ({ value: typedValue(text, quantity), fault: faultOf(text, quantity) }),
  notebook: (json) => ({ file: notebook(json), code: wholeCode(json) }),
};

let text = "";
for await (const part of process.stdin) text += part;
const answers = /** @type {[string, any][]} */ (JSON.parse(text)).map(([name, argument]) =>
  ANSWERS[name](argument),
);
process.stdout.write(JSON.stringify(answers));
