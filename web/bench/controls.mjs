// @ts-check
/* Inputs of the form. Each carries the path of its field in the experiment's JSON, by which labkit's messages find it, and
 * what can be said of its text without asking labkit. */

import { element } from "../widgets/dom.mjs";
import { faultOf } from "./units.mjs";

/** @typedef {import("./fields.mjs").Field} Field */
/** @typedef {import("./form.mjs").Texts} Texts */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input */
/** @typedef {import("./units.mjs").Quantity} Quantity */

let made = 0;

/** @type {WeakMap<Element, {quantity: Quantity, hint?: string}>} what is typed into an input */
const typed = new WeakMap();

/**
 * What is wrong with the text of an input; "" if nothing is that can be seen without labkit.
 * @param {Element} input
 */
export function faultIn(input) {
  const field = typed.get(input);
  return field ? faultOf(/** @type {Input} */ (input).value, field.quantity, field.hint) : "";
}

/** An id that no other element has. */
export function freshId() {
  made += 1;
  return `lp-bench-${made}`;
}

/**
 * A label over an input.
 * @param {string} text
 * @param {Input} input
 * @param {string} [path] of its field
 */
export function labelled(text, input, path) {
  input.id ||= freshId();
  input.classList.add("lp-input");
  if (path) input.dataset.path = path;
  const label = element("label", { htmlFor: input.id, textContent: text });
  return element("div", { className: "lp-field" }, label, input);
}

/**
 * A text to be typed.
 * @param {{label: string, quantity: Quantity, hint?: string, path: string}} field
 * @param {string} now
 * @param {(text: string) => void} changed
 */
export function textBox({ label, quantity, hint, path }, now, changed) {
  const input = element("input", {
    ...{ type: "text", value: now, placeholder: hint ?? "", autocomplete: "off", spellcheck: false },
  });
  typed.set(input, { quantity, hint });
  input.addEventListener("input", () => changed(input.value));
  return labelled(label, input, path);
}

/**
 * A field of labkit's, in its place in `texts`.
 * @param {Field} field
 * @param {Texts} texts
 * @param {string} path of what the field is in
 * @param {() => void} changed
 */
export function fieldBox(field, texts, path, changed) {
  const { name, label, choices, unless } = field;
  const now = Object.hasOwn(texts, name) ? texts[name] : "";
  const at = path ? `${path}.${name}` : name;
  const set = (/** @type {string} */ text) => {
    texts[name] = text;
    changed();
  };
  if (!choices) return textBox({ ...field, path: at }, now, set);
  const input = menu(choices, now || String(unless ?? ""));
  input.addEventListener("change", () => set(input.value === unless ? "" : input.value));
  return labelled(label, input, at);
}

/**
 * @param {readonly (readonly [string, string])[]} choices value and label
 * @param {string} chosen
 */
export function menu(choices, chosen) {
  const options = choices.map(([value, text]) => new Option(text, value, false, value === chosen));
  return element("select", {}, ...options);
}

/**
 * Fields of which some stand behind a fold, which is open if one of them says something.
 * @param {readonly Field[]} fields
 * @param {Texts} texts
 * @param {string} path
 * @param {() => void} changed
 * @param {(Node)[]} [others] that stand behind the fold, too
 */
export function fieldsBox(fields, texts, path, changed, others = []) {
  const box = (/** @type {Field} */ field) => fieldBox(field, texts, path, changed);
  const shown = fields.filter(({ more }) => !more);
  const folded = fields.filter(({ more }) => more);
  const grid = element("div", { className: "lp-fields" }, ...shown.map(box));
  if (folded.length + others.length === 0) return grid;
  const inner = element("div", { className: "lp-fields" }, ...folded.map(box), ...others);
  const open = folded.some(({ name }) => texts[name]);
  const summary = element("summary", { textContent: "More" });
  return element("div", {}, grid, element("details", { className: "lp-more", open }, summary, inner));
}

/**
 * @param {string} legend
 * @param {...(Node | string)} children
 */
export function fieldset(legend, ...children) {
  return element(
    "fieldset",
    { className: "lp-set" },
    element("legend", { textContent: legend }),
    ...children,
  );
}
