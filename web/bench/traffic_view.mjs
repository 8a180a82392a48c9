// @ts-check
/* The traffic in the form: flows and pings, one below the other. */

import { button, element } from "../widgets/dom.mjs";
import { fieldsBox, fieldset, labelled, menu } from "./controls.mjs";
import { FLOWS, ofKind } from "./fields.mjs";
import { endsOf, flow } from "./form.mjs";

/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */

const MOST_FLOWS = 64;

export class TrafficView {
  /**
   * @param {() => Form} form
   * @param {() => void} changed
   */
  constructor(form, changed) {
    this.form = form;
    this.changed = changed;
    this.list = element("div", {});
    this.said = element("p", { className: "lp-note", role: "status" });
    const add = FLOWS.map(({ kind, label }) =>
      button(`Add ${label.replace("Pings", "pings")}`, () => this.add(kind)),
    );
    this.buttons = element("div", { className: "lp-buttons" }, ...add);
    this.box = fieldset("Traffic", this.list, this.buttons, this.said);
  }

  show() {
    this.list.replaceChildren(...this.form().flows.map((one, i) => this.one(one, i)));
  }

  /**
   * @param {FlowForm} one
   * @param {number} i
   */
  one(one, i) {
    const path = `flows[${i}]`;
    const names = endsOf(this.form()).map((name) => /** @type {[string, string]} */ ([name, name]));
    const kind = menu(
      FLOWS.map(({ kind: name, label }) => [name, label]),
      one.kind,
    );
    kind.addEventListener("change", () => {
      const { kind: _, ...kept } = one;
      Object.assign(one, { ...flow(kept.src, kept.dst, kind.value) });
      this.show();
      this.focus(`${path}.kind`);
      this.changed();
    });
    const [src, dst] = /** @type {const} */ (["src", "dst"]).map((end) => {
      const select = menu(names, one[end]);
      select.addEventListener("change", () => {
        one[end] = select.value;
        this.changed();
      });
      return labelled(end === "src" ? "From" : "To", select, `${path}.${end}`);
    });
    const fields = ofKind(FLOWS, one.kind)?.fields ?? [];
    const remove = button("Remove", () => this.remove(i), { "aria-label": `Remove flow ${i + 1}` });
    const ends = element("div", { className: "lp-fields" }, labelled("Kind", kind, `${path}.kind`), src, dst);
    const rest = fieldsBox(fields, one.texts, path, this.changed);
    return fieldset(`Flow ${i + 1}`, ends, rest, element("div", { className: "lp-buttons" }, remove));
  }

  /** @param {string} path */
  focus(path) {
    /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-path="${path}"]`))?.focus();
  }

  /** @param {string} kind */
  add(kind) {
    const { flows } = this.form();
    const hosts = endsOf(this.form());
    if (flows.length >= MOST_FLOWS) {
      this.said.textContent = `No more than ${MOST_FLOWS} here: write the experiment in a notebook.`;
      return;
    }
    const last = flows.at(-1);
    const ends = [last?.src ?? hosts[0], last?.dst ?? hosts.at(-1) ?? hosts[0]];
    flows.push(flow(ends[0], ends[1], kind));
    this.show();
    this.focus(`flows[${flows.length - 1}].kind`);
    this.said.textContent = `Flow ${flows.length} was added.`;
    this.changed();
  }

  /** @param {number} i */
  remove(i) {
    const { flows } = this.form();
    flows.splice(i, 1);
    this.show();
    this.said.textContent = `Flow ${i + 1} was removed.`;
    if (flows.length) this.focus(`flows[${Math.min(i, flows.length - 1)}].kind`);
    else this.buttons.querySelector("button")?.focus();
    this.changed();
  }
}
