// @ts-check
/* Inputs of the form. Each carries the path of its field in the experiment's JSON, by which labkit's messages find it. */

import { element } from "../widgets/dom.mjs";

/** @typedef {import("./fields.mjs").Field} Field */
/** @typedef {import("./form.mjs").Texts} Texts */

let made = 0;

/** An id that no other element has. */
export function freshId() {
  made += 1;
  return `lp-bench-${made}`;
}

/**
 * A label over an input.
 * @param {string} text
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input
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
 * A text to be typed, in its place in `texts`.
 * @param {Field} field
 * @param {Texts} texts
 * @param {string} path of what the field is in
 * @param {() => void} changed
 */
export function fieldBox(field, texts, path, changed) {
  const { name, label, choices, unless, hint } = field;
  const now = Object.hasOwn(texts, name) ? texts[name] : "";
  const input = choices
    ? menu(choices, now || String(unless ?? ""))
    : element("input", {
        type: "text",
        value: now,
        placeholder: hint ?? "",
        autocomplete: "off",
        spellcheck: false,
      });
  input.addEventListener(choices ? "change" : "input", () => {
    texts[name] = choices && input.value === unless ? "" : input.value;
    changed();
  });
  return labelled(label, input, path ? `${path}.${name}` : name);
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
