// @ts-check
/* A question that a laboratory measures once the reader has committed, with the seeds that are asked for. */

import { button, element } from "./dom.mjs";
import { Progress } from "./progress.mjs";
import { seedsOf } from "./seeds.mjs";

/** @typedef {import("./points.mjs").Json} Json */
/**
 * What is known of the answer; spread: how far it depends on the seed, in words and as rows of the chart; compared: what is
 * said of it beside the recording.
 * @typedef {{measured: any, result: Json | null, spread?: {words: string, rows: Json[]} | null, compared?: string}} Found
 */
/** @typedef {{signal: AbortSignal, progress: Progress, which: string}} How which: of several seeds */
/**
 * What measures. note: what is said of it; own: what is said before what its own seed gives; seed: what an empty field
 * for seeds says, null if there is none; measure, repeat: null if it was ended; repeat: with other seeds, where the question wants that.
 * @typedef {object} Laboratory
 * @property {string} note
 * @property {string} own
 * @property {string | null} seed
 * @property {(seed: number | undefined, how: How) => Promise<Found | null>} measure
 * @property {((found: Found, how: How) => Promise<Found | null>) | null} repeat
 */
/**
 * What it tells. failed: nothing was measured, and why has been said.
 * @typedef {{found: (found: Found) => Promise<void>, words: (measured: any) => string, failed: () => void}} Told
 */

export class Measuring {
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {string} id of the figure
   * @param {Laboratory} lab
   * @param {Told} told
   */
  constructor(id, lab, told) {
    this.lab = lab;
    this.told = told;
    this.seeds = element("input", {
      id: `${id}-seeds`,
      type: "text",
      placeholder: lab.seed ?? "",
      autocomplete: "off",
    });
    const label = element("label", { htmlFor: this.seeds.id, textContent: "Seeds" });
    this.fault = element("span", { className: "lp-error", role: "alert" });
    this.runButton = button("Measure it here", () => void this.run());
    this.seeds.addEventListener("keydown", ({ key }) => {
      if (key === "Enter" && !this.runButton.disabled) void this.run();
    });
    this.progress = new Progress(() => this.cancel("Cancelled."));
    this.found = element("ul", { className: "lp-runs" });
    const knob = element("div", { className: "lp-knob lp-seed" }, label, this.seeds, this.fault);
    const row = element(
      "div",
      { className: "lp-live" },
      ...(lab.seed !== null ? [knob, this.runButton] : []),
      this.progress.box,
    );
    const note = element("p", { className: "lp-note", textContent: lab.note });
    this.parts = lab.note ? [row, note, this.found] : [row, this.found];
  }

  /**
   * While the reader may still answer, nothing is measured.
   * @param {boolean} isOpen
   */
  open(isOpen) {
    this.enable(!isOpen);
    if (!isOpen) {
      if (!this.found.childElementCount && !this.#running) void this.run();
      return;
    }
    this.cancel();
    this.found.replaceChildren();
    this.progress.end("It is measured here when you commit.");
  }

  /** @param {boolean} isEnabled */
  enable(isEnabled) {
    this.runButton.disabled = !isEnabled;
    this.runButton.title = isEnabled ? "" : "Commit to an answer first";
  }

  /** @param {string} [said] */
  cancel(said = "") {
    const wasRunning = this.#running !== null;
    this.#running?.abort();
    this.#running = null;
    this.progress.end(said);
    if (wasRunning && said) this.told.failed();
  }

  /** Measure it with each seed, one after the other. */
  async run() {
    this.cancel();
    let seeds;
    try {
      seeds = seedsOf(this.seeds.value);
      this.fault.textContent = "";
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.fault.textContent = `Seeds: ${error.message}.`;
      this.seeds.focus();
      return;
    }
    const abort = new AbortController();
    this.#running = abort;
    try {
      const all = seeds ?? [undefined];
      for (const [i, seed] of all.entries()) {
        const which = all.length > 1 ? `, seed ${i + 1} of ${all.length}` : "";
        await this.#measure(seed, { signal: abort.signal, progress: this.progress, which });
        if (abort.signal.aborted) return;
      }
      this.progress.end();
    } catch (error) {
      if (this.#running !== abort) return;
      this.progress.end(error instanceof Error ? error.message : String(error));
      this.told.failed();
    } finally {
      if (this.#running === abort) this.#running = null;
    }
  }

  /**
   * @param {number | undefined} seed
   * @param {How} how
   */
  async #measure(seed, how) {
    const { lab, told } = this;
    const found = await lab.measure(seed, how);
    if (found === null || how.signal.aborted) return;
    const which = seed === undefined ? lab.own : `Here, seed ${seed}: `;
    const compared = found.compared ? element("small", { textContent: ` (${found.compared})` }) : "";
    if (which) {
      const said = element("span", { textContent: which });
      this.found.append(element("li", {}, said, told.words(found.measured), compared));
    }
    await told.found(found);
    if (!lab.repeat) return;
    const repeated = await lab.repeat(found, how);
    if (repeated !== null && !how.signal.aborted) await told.found(repeated);
  }
}
