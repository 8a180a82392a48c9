// @ts-check
/* "Predict, then run": what is measured stays hidden until the reader has committed to an answer. It was recorded, or a
 * laboratory measures it, this page's or that of a notebook. */

import { answerOf } from "./answer_inputs.mjs";
import { measuredText, verdict } from "./answer_words.mjs";
import { pointable } from "./curve_pointing.mjs";
import { button, element } from "./dom.mjs";
import { Measuring } from "./measuring.mjs";

/** @typedef {import("./points.mjs").Json} Json */
/** @typedef {import("./measuring.mjs").Found} Found */
/** @typedef {import("./explorer.mjs").Draw} Draw */

/**
 * said: the answer that the reader had committed to, null: none; keep: it is this now.
 * @typedef {{said: any, keep: (said: any) => void}} Memory
 */

const [YOU, MEASURED] = ["you", "measured"]; // as labkit/widgets/answers.py
const [ANSWERS, SPREAD] = ["answers", "spread"]; // as labkit/widgets/spread.py

export class Prediction {
  /** @type {Found | null} */
  #found;
  #isCommitted = false;
  /** @type {Measuring | null} */
  #measuring = null;

  /**
   * @param {HTMLElement} figure with an element .lp-view
   * @param {Json} asked
   * @param {{draw: Draw, recorded?: Found | null, role?: string, memory?: Memory | null}} how role: of a chart
   */
  constructor(figure, asked, { draw, recorded = null, role = "img", memory = null }) {
    this.figure = figure;
    this.asked = asked;
    this.draw = draw;
    this.recorded = recorded;
    this.role = role;
    this.memory = memory;
    this.#found = recorded;
    this.view = /** @type {HTMLElement} */ (figure.querySelector(".lp-view"));
    this.answer = answerOf(asked, figure.id);
    if (memory && memory.said !== null) {
      this.answer.say(memory.said);
      this.#isCommitted = recorded !== null && this.answer.problem() === null;
    }
    this.commit = element("button", {
      type: "submit",
      className: "lp-button lp-first",
      textContent: "Commit",
    });
    this.again = button("Try again", () => this.#reopen(), { hidden: true });
    const legend = element("legend", { textContent: asked.question });
    const field = element("fieldset", {}, legend, this.answer.box);
    const form = element(
      "form",
      { className: "lp-predict", noValidate: true },
      field,
      this.commit,
      " ",
      this.again,
    );
    this.verdict = element("p", { className: "lp-verdict" });
    this.more = element("p");
    const spoken = element("div", { "aria-live": "polite" }, this.verdict, this.more);
    this.place = element("div", { className: "lp-here" });
    this.result = element("div", { className: "lp-view" });
    this.table = /** @type {HTMLElement | null} */ (figure.querySelector(".lp-table"));
    figure.querySelector("figcaption")?.remove(); // the question: it stands above the answers now
    this.view.before(form, spoken, this.place);
    this.view.after(this.result);
    const isOpen = () => !this.#isCommitted;
    this.plotted =
      asked.kind === "curve" ? pointable(this.view, asked, { inputs: this.answer.inputs, isOpen }) : () => {};
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#commit();
    });
    for (const input of this.answer.inputs) {
      input.addEventListener("input", () => void this.#told(this.#drawAnswers()));
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault(); // JupyterLab does, so that no form is submitted
        form.requestSubmit();
      });
    }
  }

  /** The question, or, of a notebook that was saved, the answer. */
  async show() {
    await this.#settle();
  }

  /**
   * From now on it is measured.
   * @param {import("./measuring.mjs").Laboratory} lab
   */
  attach(lab) {
    this.#measuring = new Measuring(this.figure.id, lab, {
      found: (found) => this.#measured(found),
      words: (measured) => measuredText(this.asked, measured),
      failed: () => this.#failed(),
    });
    this.place.replaceChildren(...this.#measuring.parts);
    this.#measuring.open(!this.#isCommitted);
  }

  async #commit() {
    const problem = this.answer.problem();
    if (problem) {
      this.verdict.textContent = problem;
      return;
    }
    this.#isCommitted = true;
    this.memory?.keep(this.answer.said());
    await this.#told(this.#settle());
    if (this.#found) this.again.focus();
    this.#measuring?.open(false);
  }

  async #reopen() {
    this.#isCommitted = false;
    this.memory?.keep(null);
    this.#found = this.recorded;
    this.#measuring?.open(true);
    await this.#told(this.#settle());
    this.answer.inputs[0].focus();
  }

  /** @param {Found} found takes the place of what was recorded */
  async #measured(found) {
    this.#found = found;
    if (!this.#isCommitted) return;
    await this.#told(this.#settle());
    if (document.activeElement === document.body) this.again.focus(); // the button that was pressed is gone
  }

  /** Nothing is measured: a recorded answer stays; without one the reader may go on. */
  #failed() {
    if (this.#found) return;
    this.#isCommitted = false;
    this.#measuring?.enable(false);
    void this.#told(this.#settle()).then(() => this.commit.focus());
  }

  /** Show what is known: whether the reader may still answer, and what was found. */
  async #settle() {
    const { asked, answer } = this;
    const found = this.#isCommitted ? this.#found : null;
    for (const input of [...answer.inputs, this.commit]) input.disabled = this.#isCommitted;
    this.commit.hidden = this.#isCommitted;
    this.again.hidden = !found;
    if (this.table) this.table.hidden = !found;
    this.verdict.textContent = found ? verdict(asked, answer.said(), found.measured) : "";
    const own = found && asked.kind === "choice" ? asked.choices[answer.said()][1] : "";
    this.more.textContent = found ? [own, asked.after, found.spread?.words].filter(Boolean).join(" ") : "";
    await this.#drawAnswers();
    await this.#drawResult();
  }

  async #drawAnswers() {
    const { asked, answer, view } = this;
    const found = this.#isCommitted ? this.#found : null;
    const isShown = asked.answers && (found || asked.kind === "curve");
    view.hidden = !isShown;
    view.classList.toggle("lp-drawable", asked.kind === "curve" && !this.#isCommitted);
    if (!isShown) return;
    const rows = this.#rows(YOU, answer.said());
    if (found) rows.push(...this.#rows(MEASURED, found.measured));
    view.setAttribute("role", this.role);
    view.setAttribute(
      "aria-label",
      found ? (this.verdict.textContent ?? "") : "Your curve so far; the fields above set it, too.",
    );
    const data = { [ANSWERS]: rows, [SPREAD]: found?.spread?.rows ?? [] };
    this.plotted(await this.draw(view, asked.answers, { data }));
  }

  async #drawResult() {
    const chart = this.#isCommitted ? this.#found?.result : null;
    this.result.hidden = !chart;
    if (!chart) return;
    this.result.setAttribute("role", this.role);
    this.result.setAttribute("aria-label", chart.description ?? "The measured result");
    await this.draw(this.result, chart, {});
  }

  /**
   * An answer as data of the chart.
   * @param {string} who
   * @param {any} answer
   * @returns {Json[]}
   */
  #rows(who, answer) {
    if (this.asked.kind === "value") return [{ who, value: answer }];
    const rows = answer.map((/** @type {number | null} */ y, /** @type {number} */ i) => [
      this.asked.x_values[i],
      y,
    ]);
    return rows.flatMap((/** @type {[any, number | null]} */ [x, y]) =>
      y === null ? [] : [{ who, x, value: y }],
    );
  }

  /** @param {Promise<void>} drawing */
  async #told(drawing) {
    try {
      await drawing;
    } catch (error) {
      this.more.textContent = `The chart cannot be drawn: ${error instanceof Error ? error.message : error}`;
    }
  }
}
