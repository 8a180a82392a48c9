// @ts-check
/* What is wrong with fields, said beside each of them and to screen readers. Two say it: the form itself, of a text that
 * is no such quantity, and labkit, of an experiment. */

import { element } from "../widgets/dom.mjs";

/** @typedef {"form" | "labkit"} By */

const NOTE = "lp-fault-";

export class FieldFaults {
  /** @param {HTMLElement} box that the fields are in */
  constructor(box) {
    this.box = box;
  }

  /**
   * @param {HTMLElement} field
   * @param {string} said
   * @param {By} by
   */
  show(field, said, by) {
    this.clear(field);
    const note = element("p", { className: "lp-fault", id: NOTE + field.id, textContent: sentence(said) });
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", [...described(field), note.id].join(" "));
    field.dataset.by = by;
    field.after(note);
  }

  /** @param {HTMLElement} field */
  clear(field) {
    if (!field.hasAttribute("aria-invalid")) return;
    field.removeAttribute("aria-invalid");
    delete field.dataset.by;
    const rest = described(field);
    document.getElementById(NOTE + field.id)?.remove();
    if (rest.length) field.setAttribute("aria-describedby", rest.join(" "));
    else field.removeAttribute("aria-describedby");
  }

  /** @param {By} by */
  clearAll(by) {
    for (const field of this.shown()) if (field.dataset.by === by) this.clear(field);
  }

  /** @returns {HTMLElement[]} fields that are wrong, in the order of the form */
  shown() {
    return [...this.box.querySelectorAll("[aria-invalid]")].map((one) => /** @type {HTMLElement} */ (one));
  }

  /** @returns {{name: string, said: string}[]} */
  told() {
    return this.shown().map((field) => ({
      name: nameOf(field),
      said: document.getElementById(NOTE + field.id)?.textContent ?? "",
    }));
  }
}

/**
 * What describes a field besides its fault.
 * @param {HTMLElement} field
 */
function described(field) {
  const ids = (field.getAttribute("aria-describedby") ?? "").split(" ");
  return ids.filter((id) => id && !id.startsWith(NOTE));
}

/**
 * A field by its label and the group that it stands in: "Rate, left → router".
 * @param {HTMLElement} field
 */
function nameOf(field) {
  const group = field.parentElement?.closest("fieldset");
  const own = field.matches("fieldset") ? field : field.parentElement;
  const texts = [own?.querySelector("label, legend"), group?.querySelector("legend")];
  return texts
    .map((one) => one?.textContent ?? "")
    .filter(Boolean)
    .join(", ");
}

/** @param {string} said */
function sentence(said) {
  return `${said[0].toUpperCase()}${said.slice(1)}${/[.?!]$/.test(said) ? "" : "."}`;
}
