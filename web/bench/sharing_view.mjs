// @ts-check
/* The experiment to take along: as a link, as Python, as a notebook, as JSON. */

import { button, element } from "../widgets/dom.mjs";
import { labelled } from "./controls.mjs";
import { sealed } from "./link.mjs";
import { notebook, wholeCode } from "./notebook.mjs";
import { save } from "./saving.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

export class SharingView {
  /**
   * @param {() => JsonObject} json
   * @param {(json: JsonObject) => void} take an experiment that was typed as JSON
   */
  constructor(json, take) {
    this.json = json;
    this.take = take;
    this.said = element("p", { className: "lp-note", role: "status" });
    this.link = element("input", { type: "text", readOnly: true });
    this.linkBox = labelled("Link to this experiment", this.link);
    this.linkBox.hidden = true;
    this.code = element("code");
    this.program = element("div", { className: "lp-terminal", tabIndex: 0, role: "region" }, this.code);
    this.program.setAttribute("aria-label", "Python");
    this.text = element("textarea", { rows: 12, spellcheck: false });
    this.fault = element("p", { className: "lp-fault", role: "alert" });
    const buttons = element(
      "div",
      { className: "lp-buttons" },
      button("Link to it", () => this.told(this.share())),
      button("Copy its Python", () => this.told(this.copyCode())),
      button("Save as notebook (.ipynb)", () => this.told(this.keep())),
    );
    this.box = element("div", {}, buttons, this.linkBox, this.said, this.asPython(), this.asJson());
  }

  asPython() {
    const summary = element("summary", { textContent: "As Python" });
    const box = element("details", { className: "lp-result" }, summary, this.program);
    this.python = box;
    box.addEventListener("toggle", () => this.changed());
    return box;
  }

  asJson() {
    const summary = element("summary", { textContent: "As JSON" });
    const words =
      "As labkit reads and writes it (Experiment.from_json). What the form has no field for can be added here: " +
      "changes while it runs, other kinds of traffic, queues with classes.";
    const box = element(
      "details",
      { className: "lp-result" },
      summary,
      element("p", { className: "lp-note", textContent: words }),
      labelled("The experiment", this.text),
      this.fault,
      element(
        "div",
        { className: "lp-buttons" },
        button("Take this", () => this.read()),
      ),
    );
    this.jsonFold = box;
    box.addEventListener("toggle", () => this.changed());
    return box;
  }

  /** The experiment is another one. */
  changed() {
    this.linkBox.hidden = true;
    if (this.python?.open) this.code.textContent = wholeCode(this.json());
    if (this.jsonFold?.open) this.text.value = JSON.stringify(this.json(), null, 2);
    this.fault.textContent = "";
  }

  read() {
    try {
      const json = JSON.parse(this.text.value);
      if (json === null || typeof json !== "object" || Array.isArray(json))
        throw new SyntaxError("it has no fields");
      this.take(json);
      this.said.textContent = "The experiment is as the JSON says.";
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.fault.textContent = `Not JSON: ${error.message}`;
      this.text.focus();
    }
  }

  async share() {
    const fragment = await sealed(this.json());
    history.replaceState(null, "", fragment);
    this.link.value = location.href;
    this.linkBox.hidden = false;
    this.link.focus();
    this.link.select();
    const copied = await copy(location.href);
    return copied
      ? "The link was copied. Whoever opens it sees this experiment, and runs it by a click."
      : "Copy the link.";
  }

  async copyCode() {
    const text = wholeCode(this.json());
    if (await copy(text)) return "The Python was copied.";
    if (this.python) this.python.open = true;
    return "Copy the Python below.";
  }

  async keep() {
    const from = location.href.replace(/#.*/, "") + (await sealed(this.json()));
    save("experiment.ipynb", [notebook(this.json(), from)], "application/x-ipynb+json");
    return "The notebook was saved. Open it with labkit: make lab.";
  }

  /** @param {Promise<string>} work */
  async told(work) {
    try {
      this.said.textContent = await work;
    } catch (error) {
      this.said.textContent = error instanceof Error ? error.message : String(error);
    }
  }
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the browser let us
 */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
