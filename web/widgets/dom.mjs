// @ts-check
/* Elements of a page, made in one expression. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties] of the element; those with a hyphen, and "role", are attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "list") made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  made.append(...children);
  return made;
}

/**
 * Calls f with what was typed, once, when the reader is done with it. JupyterLab keeps the key Enter from ending it.
 * @param {HTMLInputElement} input
 * @param {(value: string) => void} f
 */
export function whenTyped(input, f) {
  let before = input.value;
  const done = () => {
    if (input.value === before && !input.validity.badInput) return;
    before = input.value;
    f(input.value);
    before = input.value;
  };
  input.addEventListener("change", done);
  input.addEventListener("focus", () => {
    before = input.value;
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") done();
  });
}

/**
 * @param {string} text
 * @param {() => void} click
 * @param {Record<string, unknown>} [properties]
 */
export function button(text, click, properties = {}) {
  const made = element("button", {
    type: "button",
    className: "lp-button",
    textContent: text,
    ...properties,
  });
  made.addEventListener("click", click);
  return made;
}
