// @ts-check
/* The form: network, traffic, the run. Where faults are said is in field_faults.mjs; which field one is of, here. */

import { element } from "../widgets/dom.mjs";
import { faultIn, fieldsBox, fieldset, freshId, labelled } from "./controls.mjs";
import { PROBES } from "./facts.mjs";
import { candidates } from "./faults.mjs";
import { FieldFaults } from "./field_faults.mjs";
import { RUN_FIELDS } from "./fields.mjs";
import { NetworkView } from "./network_view.mjs";
import { whenLetGo } from "./presses.mjs";
import { TrafficView } from "./traffic_view.mjs";

/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./faults.mjs").Fault} Fault */

export class FormView {
  /**
   * @param {Form} form
   * @param {() => void} changed
   * @param {() => void} left the reader is done with a field, and has changed something
   */
  constructor(form, changed, left) {
    this.form = form;
    this.changed = changed;
    this.left = left;
    /** @type {WeakSet<HTMLElement>} */
    this.visited = new WeakSet();
    this.isEdited = false;
    const now = () => this.form;
    this.network = new NetworkView(now, (other) => this.show(other), changed);
    this.traffic = new TrafficView(now, changed);
    this.run = fieldset("The run");
    this.box = element("div", { className: "lp-form" }, this.network.box, this.traffic.box, this.run);
    this.faults = new FieldFaults(this.box);
    this.box.addEventListener("focusout", ({ target }) =>
      whenLetGo(() => this.leave(/** @type {HTMLElement} */ (target))),
    );
    this.box.addEventListener("input", ({ target }) => {
      this.isEdited = true;
      this.faults.clear(/** @type {HTMLElement} */ (target));
    });
    this.show(form);
  }

  /**
   * Another form, from its start.
   * @param {Form} form
   */
  show(form) {
    this.form = form;
    this.network.show();
    this.traffic.show();
    this.showRun();
    this.changed();
  }

  showRun() {
    const { form } = this;
    const sysctls = element("textarea", {
      ...{ value: form.sysctls, rows: 2, placeholder: "net.ipv4.tcp_sack=0", spellcheck: false },
    });
    sysctls.addEventListener("input", () => {
      form.sysctls = sysctls.value;
      this.changed();
    });
    const settings = labelled("sysctls of all hosts, one a line", sysctls, "sysctls");
    settings.classList.add("lp-wide");
    const others = [
      settings,
      this.checks("Capture the packets of", form.hosts, form.capture, "capture"),
      this.checks("Record", PROBES, form.probes, "probes"),
    ];
    const legend = /** @type {HTMLElement} */ (this.run.firstChild);
    this.run.replaceChildren(legend, fieldsBox(RUN_FIELDS, form.run, "", this.changed, others));
  }

  /**
   * Names of which some are chosen.
   * @param {string} legend
   * @param {readonly string[]} names
   * @param {string[]} chosen
   * @param {string} path
   */
  checks(legend, names, chosen, path) {
    const boxes = names.map((name) => {
      const input = element("input", { type: "checkbox", checked: chosen.includes(name) });
      input.addEventListener("change", () => {
        if (input.checked) chosen.push(name);
        else chosen.splice(chosen.indexOf(name), 1);
        this.changed();
      });
      return element("label", {}, input, ` ${name}`);
    });
    const box = fieldset(legend, element("div", { className: "lp-checks" }, ...boxes));
    box.classList.add("lp-wide");
    box.id = freshId();
    box.dataset.path = path;
    box.tabIndex = -1;
    return box;
  }

  /**
   * A field is left: what is wrong with its text is said at once.
   * @param {HTMLElement} field
   */
  leave(field) {
    if (!field.dataset.path) return;
    this.visited.add(field);
    const said = faultIn(field);
    if (said) this.faults.show(field, said, "form");
    else if (field.dataset.by === "form") this.faults.clear(field);
    if (this.isEdited) this.left();
  }

  /** Whether no text is wrong in what is in view; those that are wrong are marked. */
  isSound() {
    for (const field of this.box.querySelectorAll("[data-path]")) {
      const said = faultIn(field);
      if (said) this.faults.show(/** @type {HTMLElement} */ (field), said, "form");
    }
    return !this.faults.shown().some(({ dataset }) => dataset.by === "form");
  }

  /**
   * What labkit says of fields that were left.
   * @param {readonly Fault[]} faults
   */
  told(faults) {
    for (const fault of faults) {
      const field = this.fieldAt(fault.path);
      if (field && this.visited.has(field) && !field.hasAttribute("aria-invalid")) this.mark(field, fault);
    }
  }

  /**
   * Say what is wrong beside the fields that it is about, of the first link that has any.
   * @param {readonly Fault[]} faults
   * @returns {Fault[]} for which there is no field in view
   */
  reveal(faults) {
    const links = faults.flatMap(({ path }) => /^topology\.links\[(\d+)\]/.exec(path)?.[1] ?? []);
    if (links.length && !links.includes(String(this.network.link))) this.network.choose(Number(links[0]));
    return faults.filter((fault) => {
      const field = this.fieldAt(fault.path);
      if (!field) return true;
      openAround(field);
      if (!field.hasAttribute("aria-invalid")) this.mark(field, fault);
      return false;
    });
  }

  /**
   * @param {HTMLElement} field
   * @param {Fault} fault
   */
  mark(field, { path, said }) {
    const own = faultIn(field);
    const part = /\.queue\.([\w-]+)$/.exec(path)?.[1];
    const isOption = part !== undefined && field.dataset.path?.endsWith(".options");
    this.faults.show(field, own || (isOption ? `${part}: ${said}` : said), own ? "form" : "labkit");
  }

  /**
   * @param {string} path
   * @returns {HTMLElement | null}
   */
  fieldAt(path) {
    const link = /^topology\.links\[(\d+)\]/.exec(path);
    if (link && Number(link[1]) !== this.network.link) return null;
    for (const name of candidates(path)) {
      const found = this.box.querySelector(`[data-path="${CSS.escape(name)}"]`);
      if (found) return /** @type {HTMLElement} */ (found);
    }
    return null;
  }
}

/** @param {HTMLElement} field */
function openAround(field) {
  let fold = field.closest("details");
  for (; fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
}
