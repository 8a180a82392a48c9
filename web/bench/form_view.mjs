// @ts-check
/* The form: network, traffic, the run. And labkit's faults beside their fields. */

import { element } from "../widgets/dom.mjs";
import { fieldsBox, fieldset, labelled } from "./controls.mjs";
import { PROBES } from "./facts.mjs";
import { candidates } from "./faults.mjs";
import { RUN_FIELDS } from "./fields.mjs";
import { NetworkView } from "./network_view.mjs";
import { TrafficView } from "./traffic_view.mjs";

/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./faults.mjs").Fault} Fault */

export class FormView {
  /**
   * @param {Form} form
   * @param {() => void} changed
   */
  constructor(form, changed) {
    this.form = form;
    this.changed = changed;
    const now = () => this.form;
    this.network = new NetworkView(now, (other) => this.show(other), changed);
    this.traffic = new TrafficView(now, changed);
    this.run = fieldset("The run");
    this.box = element("div", { className: "lp-form" }, this.network.box, this.traffic.box, this.run);
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
    box.dataset.path = path;
    box.tabIndex = -1;
    return box;
  }

  /** No field has a fault. */
  clear() {
    for (const input of this.box.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
      const ids = (input.getAttribute("aria-describedby") ?? "")
        .split(" ")
        .filter((id) => !id.startsWith("lp-fault"));
      if (ids.length) input.setAttribute("aria-describedby", ids.join(" "));
      else input.removeAttribute("aria-describedby");
    }
    for (const note of this.box.querySelectorAll(".lp-fault")) note.remove();
  }

  /**
   * Say what is wrong beside the field that it is about, and go there.
   * @param {Fault} fault
   * @returns {boolean} whether there is such a field
   */
  reveal({ path, text }) {
    const link = /^topology\.links\[(\d+)\]/.exec(path);
    if (link) this.network.choose(Number(link[1]));
    const field = this.fieldAt(path);
    if (!field) return false;
    for (
      let outer = field.closest("details");
      outer;
      outer = outer.parentElement?.closest("details") ?? null
    ) {
      outer.open = true;
    }
    if (!field.hasAttribute("aria-invalid")) {
      field.setAttribute("aria-invalid", "true");
      const note = element("p", { className: "lp-fault", textContent: text });
      note.id = `lp-fault-${field.id || path}`;
      const described = [field.getAttribute("aria-describedby"), note.id].filter(Boolean).join(" ");
      field.setAttribute("aria-describedby", described);
      field.after(note);
    }
    field.focus();
    return true;
  }

  /**
   * @param {string} path
   * @returns {HTMLElement | null}
   */
  fieldAt(path) {
    for (const name of candidates(path)) {
      const found = this.box.querySelector(`[data-path="${CSS.escape(name)}"]`);
      if (found) return /** @type {HTMLElement} */ (found);
    }
    return null;
  }
}
