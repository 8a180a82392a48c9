// @ts-check
/* A prediction that is measured here: once the reader has committed, with the recorded seed or others. predict.js
 * keeps the answer and draws; the recorded one is there at once, and stays if nothing is measured. */

import { changed } from "./differences.mjs";
import { button, element } from "./dom.mjs";
import { Progress } from "./progress.mjs";
import { measured, prepared, sorry } from "./runs.mjs";
import { seedsOf } from "./seeds.mjs";

/** @typedef {import("./overlay.mjs").Json} Json */
/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./recipes.mjs").Drawn} Drawn */
/** @typedef {import("./recipes.mjs").Recipe} Recipe */
/**
 * What predict.js lets a live measurement do.
 * @typedef {{payload: Json, place: HTMLElement, isCommitted: () => boolean,
 *   onSettled: (f: (isCommitted: boolean) => void) => void,
 *   measured: (found: {measured: number | number[], result: Json | null}) => Promise<void>,
 *   words: (measured: any) => string}} Handle
 */
/** @typedef {{measured: number | number[], result: Json | null}} Found */

const DIGITS = 6;

export class PredictionLive {
  /**
   * @param {{lab: import("./runs.mjs").Lab, widget: import("./runs.mjs").Widget, recipe: Recipe,
   *   handle: Handle, id: string}} parts
   */
  constructor({ lab, widget, recipe, handle, id }) {
    this.lab = lab;
    this.widget = widget;
    this.recipe = recipe;
    this.handle = handle;
    /** @type {AbortController | null} */
    this.running = null;
    this.seeds = element("input", {
      id: `${id}-seeds`,
      type: "text",
      placeholder: "as recorded",
      autocomplete: "off",
    });
    const label = element("label", { htmlFor: this.seeds.id, textContent: "Seeds" });
    this.fault = element("span", { className: "lp-error", role: "alert" });
    this.runButton = button("Measure it here", () => this.run());
    this.progress = new Progress(() => this.cancel("Cancelled."));
    this.found = element("ul", { className: "lp-runs" });
    const knob = element("div", { className: "lp-knob lp-seed" }, label, this.seeds, this.fault);
    const words = `Run here, on Linux ${lab.kernel}. Seeds: 4, or 1-5.`;
    this.note = element("p", { className: "lp-note", textContent: words });
    const row = element("div", { className: "lp-live" }, knob, this.runButton, this.progress.box);
    handle.place.replaceChildren(row, this.note, this.found);
    handle.onSettled((isCommitted) => this.#settled(isCommitted));
    this.#settled(handle.isCommitted());
  }

  /** @param {string} [said] */
  cancel(said = "") {
    this.running?.abort();
    this.running = null;
    this.progress.end(said);
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
    this.running = abort;
    try {
      const all = seeds ?? [undefined];
      for (const [i, seed] of all.entries()) {
        const which = all.length > 1 ? `, seed ${i + 1} of ${all.length}` : "";
        await this.#measure(seed, abort.signal, which);
        if (abort.signal.aborted) return;
      }
      this.progress.end();
    } catch (error) {
      if (this.running === abort) this.progress.end(sorry(error));
    } finally {
      if (this.running === abort) this.running = null;
    }
  }

  /**
   * @param {number | undefined} seed
   * @param {AbortSignal} signal
   * @param {string} which of several seeds
   */
  async #measure(seed, signal, which) {
    const planned = await prepared(this.widget, {}, seed, this.progress);
    const results = [];
    for (const [i, one] of planned.entries()) {
      if (signal.aborted) return;
      const many = planned.length > 1 ? ` ${i + 1} of ${planned.length}` : "";
      const { result } = await measured(this.lab, one, this.progress, signal, `Run${many}${which}`);
      results.push(result);
    }
    if (signal.aborted) return;
    await this.#tell(results, seed);
  }

  /**
   * @param {Result[]} results
   * @param {number | undefined} seed
   */
  async #tell(results, seed) {
    const { handle, recipe, widget } = this;
    const { chart } = widget;
    const found = this.#answer(recipe.measure(results, handle.payload.kind));
    const result =
      recipe.draw && chart ? pictured(chart, recipe.draw(results[0], { values: {}, chart })) : null;
    const which = seed === undefined ? "Here, with the recorded seed: " : `Here, seed ${seed}: `;
    const line = element("li", {}, element("span", { textContent: which }), handle.words(found));
    this.found.append(line);
    await handle.measured({ measured: found, result });
  }

  /**
   * As a recording has it: a number, or a list.
   * @param {number | number[]} found
   * @returns {number | number[]}
   */
  #answer(found) {
    const numbers = [found].flat().map((one) => Number(one.toPrecision(DIGITS)));
    if (!numbers.every(Number.isFinite)) throw new Error("this run gives no number");
    return Array.isArray(found) ? numbers : numbers[0];
  }

  /** @param {boolean} isCommitted */
  #settled(isCommitted) {
    this.runButton.disabled = !isCommitted;
    this.runButton.title = isCommitted ? "" : "Commit to an answer first";
    if (isCommitted) {
      if (!this.found.childElementCount && !this.running) this.run();
      return;
    }
    this.cancel();
    this.found.replaceChildren();
    this.progress.end("It is measured here when you commit.");
  }
}

/**
 * The chart of the results with its data.
 * @param {Json} chart
 * @param {Drawn} drawn
 * @returns {Json}
 */
function pictured(chart, { data, description, changes }) {
  return { ...changed({ ...chart, description }, changes ?? []), datasets: data };
}
