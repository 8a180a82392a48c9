// @ts-check
/* Where a reader answers: a number, a choice, or a curve, a number for each x. */

import { number } from "../charts/words.mjs";
import { element } from "./dom.mjs";
import { spelled } from "./spelled.mjs";

/** @typedef {import("./points.mjs").Json} Json */
/**
 * said: null for what is not there yet; say: what `said` was; problem: what is wrong with it, null if nothing is.
 * @typedef {{inputs: HTMLInputElement[], box: HTMLElement, said: () => any, say: (said: any) => void,
 *   problem: () => string | null}} Answer
 */

/**
 * @param {Json} asked
 * @param {string} id
 * @returns {Answer}
 */
export function answerOf(asked, id) {
  const make = KINDS[/** @type {keyof typeof KINDS} */ (asked.kind)];
  if (!make)
    throw new Error(`this page knows no question of kind “${asked.kind}”. Record the chapter again.`);
  return make(asked, id);
}

/** @type {(asked: Json, id: string) => Answer} */
function value(asked, id) {
  const { input, box } = numberInput(asked, `${id}-said`, "Your prediction ");
  box.append(asked.unit);
  return {
    inputs: [input],
    box: element("div", { className: "lp-answers" }, box),
    said: () => numberIn(input),
    say: (said) => fill(input, said),
    problem: () => problemOf(asked, [input]),
  };
}

/** @type {(asked: Json, id: string) => Answer} */
function choice({ choices }, id) {
  /** @type {string[]} */
  const texts = choices.map((/** @type {string[]} */ [text]) => spelled(text));
  const inputs = texts.map((_, i) =>
    element("input", { type: "radio", name: id, id: `${id}-${i}`, value: String(i) }),
  );
  const labels = texts.map((text, i) => element("label", { htmlFor: inputs[i].id }, inputs[i], text));
  const said = () => {
    const at = inputs.findIndex((input) => input.checked);
    return at < 0 ? null : at;
  };
  return {
    inputs,
    box: element("div", { className: "lp-answers lp-stacked" }, ...labels),
    said,
    say: (at) => {
      if (at in inputs) inputs[at].checked = true;
    },
    problem: () => (said() === null ? "Choose an answer first." : null),
  };
}

/** @type {(asked: Json, id: string) => Answer} */
function curve(asked, id) {
  const parts = asked.x.map((/** @type {string} */ x, /** @type {number} */ i) =>
    numberInput(asked, `${id}-at-${i}`, `${asked.x_title} ${x}`.trim()),
  );
  for (const { box } of parts) box.classList.add("lp-x");
  /** @type {HTMLInputElement[]} */
  const inputs = parts.map((/** @type {Json} */ { input }) => input);
  return {
    inputs,
    box: element("div", { className: "lp-answers" }, ...parts.map((/** @type {Json} */ { box }) => box)),
    said: () => inputs.map(numberIn),
    say: (said) => {
      for (const [i, input] of inputs.entries()) fill(input, said?.[i]);
    },
    problem: () => problemOf(asked, inputs),
  };
}

const KINDS = { value, choice, curve };

/**
 * @param {Json} asked
 * @param {string} id
 * @param {string} label
 */
function numberInput({ low, high }, id, label) {
  const input = element("input", { id, type: "number", step: "any", required: true, inputMode: "decimal" });
  if (low !== null) input.min = low;
  if (high !== null) input.max = high;
  return { input, box: element("label", { htmlFor: id }, label, input) };
}

/** @param {HTMLInputElement} input */
function numberIn(input) {
  return input.value === "" ? null : Number(input.value);
}

/**
 * @param {HTMLInputElement} input
 * @param {unknown} said
 */
function fill(input, said) {
  input.value = typeof said === "number" ? String(said) : "";
}

/**
 * @param {Json} asked
 * @param {HTMLInputElement[]} inputs
 */
function problemOf({ low, high }, inputs) {
  const bad = inputs.find((input) => !input.checkValidity());
  if (!bad) return null;
  bad.focus();
  const between = low === null ? "" : ` between ${number(low)} and ${number(high)}`;
  return `Say a number${between} first.`;
}
