// @ts-check
/* An explorer whose knobs take any value: recorded points are shown at once, others are run here. explorer.js draws
 * both, from points of one payload. */

import { button, element } from "./dom.mjs";
import { Downloads } from "./downloads.mjs";
import { LiveKnobs } from "./knobs_live.mjs";
import { livePoint } from "./live_point.mjs";
import { Progress } from "./progress.mjs";
import { capturedAgain, endOf, measured, prepared, sorry, where } from "./runs.mjs";

/** @typedef {import("./runs.mjs").Lab} Lab */
/** @typedef {import("./runs.mjs").Planned} Planned */
/** @typedef {import("./runs.mjs").Widget} Widget */
/**
 * What explorer.js lets a live run do: `points` may be added to and shown by their keys.
 * @typedef {{payload: {name: string, runs: number, points: Record<string, any>}, place: HTMLElement, below: HTMLElement,
 *   knobs: HTMLElement[], at: () => string, turned: (key: string) => Promise<void>,
 *   letGo: (key: string) => Promise<void>, kept: () => string[]}} Handle
 */

const REST_MS = 350; // knobs have rested so long before a run starts by itself
const SLOW_S = 10; // where runs take longer the button starts them
const KEPT = 12; // runs of this page that can be come back to

export class ExplorerLive {
  /**
   * @param {{lab: Lab, widget: Widget, recipe: import("./live_point.mjs").Recipe, handle: Handle, id: string}} parts
   */
  constructor({ lab, widget, recipe, handle, id }) {
    this.lab = lab;
    this.widget = widget;
    this.recipe = recipe;
    this.handle = handle;
    /** How long the latest run took on this device. */
    this.wall_s = 0;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    /** The latest run that was shown: only what was measured here can be kept. */
    this.latest = "";
    this.knobs = new LiveKnobs(widget.knobs, id, handle.at().split(",").map(Number), (moving) =>
      this.#turned(moving),
    );
    handle.knobs.forEach((old, i) => {
      old.replaceWith(this.knobs.all[i].box);
    });
    if (this.knobs.seedBox) this.knobs.all.at(-1)?.box.after(this.knobs.seedBox.box);
    this.runButton = button("Run", () => this.run());
    this.progress = new Progress(() => this.cancel("Cancelled."));
    this.downloads = new Downloads(id, (result) => capturedAgain(lab, result));
    const words = `Recorded points are shown at once; others run on Linux ${lab.kernel} on an emulated processor.`;
    this.box = element("div", { className: "lp-live" }, this.runButton, this.progress.box);
    handle.place.replaceChildren(this.box, element("p", { className: "lp-note", textContent: words }));
    handle.below.replaceChildren(this.downloads.box);
  }

  /** End what is under way, at once.
   * @param {string} [said] */
  cancel(said = "") {
    clearTimeout(this.waiting);
    this.running?.abort();
    this.running = null;
    this.progress.end(said);
  }

  /** Run where the knobs stand. */
  async run() {
    this.cancel();
    this.runButton.classList.remove("lp-first");
    const abort = new AbortController();
    this.running = abort;
    const { values, seed, words } = this.knobs;
    try {
      const [planned] = await prepared(this.widget, values, seed, this.progress);
      if (abort.signal.aborted) return;
      this.progress.start("Running", endOf(planned));
      await this.#measure(planned, { values, words }, abort.signal);
      if (this.running === abort) this.progress.end();
    } catch (error) {
      if (this.running === abort) this.progress.end(sorry(error));
    } finally {
      if (this.running === abort) this.running = null;
    }
  }

  /**
   * @param {Planned} planned
   * @param {{values: Record<string, string>, words: string}} at
   * @param {AbortSignal} signal
   */
  async #measure(planned, { values, words }, signal) {
    const { lab, handle, progress, widget, recipe } = this;
    const { result, wall_s } = await measured(lab, planned, {
      signal,
      onTime: (virtual_s) => {
        if (!signal.aborted) progress.time(virtual_s);
      },
      agree: async (seconds) => {
        const yes = await progress.ask(seconds);
        if (yes) progress.start("Running", endOf(planned));
        return yes;
      },
    });
    if (signal.aborted) return;
    this.wall_s = wall_s;
    const context = { values, chart: widget.chart ?? {} };
    const how = { recipe, context, runs: handle.payload.runs, turned: words, where: where(lab) };
    const key = `here: ${words}`;
    handle.payload.points[key] = livePoint(result, how);
    this.latest = key;
    this.downloads.offer(result, `${handle.payload.name}-${words}`);
    await handle.letGo(key);
    this.#forget();
  }

  /** A knob was turned. @param {boolean} moving */
  #turned(moving) {
    const known = this.#known();
    if (known !== null) {
      this.cancel();
      if (known !== this.latest) this.downloads.withdraw();
      if (moving) this.handle.turned(known);
      else this.handle.letGo(known);
      return;
    }
    if (moving) return;
    this.cancel();
    this.runButton.classList.toggle("lp-first", this.wall_s > SLOW_S);
    if (this.wall_s > SLOW_S) this.progress.end("Not run yet: these values start with “Run”.");
    else this.waiting = setTimeout(() => this.run(), REST_MS);
  }

  /** The key of the run where the knobs stand, if one is at hand. */
  #known() {
    const { recorded, words } = this.knobs;
    if (recorded !== null && this.handle.payload.points[recorded]) return recorded;
    const key = `here: ${words}`;
    return this.handle.payload.points[key] ? key : null;
  }

  /** Runs of this page that nobody will ask for by “Before”. */
  #forget() {
    const { points } = this.handle.payload;
    const kept = new Set(this.handle.kept());
    const old = Object.keys(points).filter((key) => key.startsWith("here: ") && !kept.has(key));
    for (const key of old.slice(0, -KEPT)) delete points[key];
  }
}
