// @ts-check
/* An explorer whose knobs take any value: what they say is run here, also while they are dragged. explorer.js draws
 * recorded runs and these, from points of one payload. */

import { button, element } from "./dom.mjs";
import { Downloads } from "./downloads.mjs";
import { LiveKnobs } from "./knobs_live.mjs";
import { Latest } from "./latest.mjs";
import { isSame, livePoint } from "./live_point.mjs";
import { Progress } from "./progress.mjs";
import { capturedAgain, measured, prepared, sorry, where } from "./runs.mjs";

/** @typedef {import("./runs.mjs").Lab} Lab */
/** @typedef {import("./runs.mjs").Widget} Widget */
/** @typedef {{values: Record<string, string>, seed: number | undefined, words: string, recorded: string | null}} Wanted */
/**
 * What explorer.js lets a live run do: `points` may be added to and shown by their keys.
 * @typedef {{payload: {name: string, runs: number, points: Record<string, any>}, place: HTMLElement, below: HTMLElement,
 *   knobs: HTMLElement[], at: () => string, turned: (key: string) => Promise<void>,
 *   letGo: (key: string) => Promise<void>, kept: () => string[]}} Handle
 */

const QUICK_S = 0.5; // the last value waits for a run that is so quick: it is seen on the way; a longer one is ended
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
    /** Whether a knob is dragged. */
    this.isMoving = false;
    /** @type {Map<string, string>} the keys of what has run here, by where the knobs stood */
    this.here = new Map();
    /** The latest run that was shown: only what was measured here can be kept. */
    this.shown = "";
    /** @type {Latest<Wanted>} */
    this.runs = new Latest((wanted, signal) => this.#run(wanted, signal));
    this.knobs = new LiveKnobs(widget.knobs, id, handle.at().split(",").map(Number), (moving) =>
      this.#turned(moving),
    );
    handle.knobs.forEach((old, i) => {
      old.replaceWith(this.knobs.all[i].box);
    });
    if (this.knobs.seedBox) this.knobs.all.at(-1)?.box.after(this.knobs.seedBox.box);
    this.againButton = button("Run it again", () => this.#turned(false), { hidden: true });
    this.progress = new Progress(() => this.#cancelled());
    this.downloads = new Downloads(id, (result) => capturedAgain(lab, result, widget.own));
    const words = `Each turn of a knob runs the experiment here, on Linux ${lab.kernel}.`;
    const note = element("p", { className: "lp-note", textContent: words });
    this.box = element("div", { className: "lp-live" }, this.againButton, note, this.progress.box);
    handle.place.replaceChildren(this.box);
    handle.below.replaceChildren(this.downloads.box);
    this.#turned(false);
  }

  #cancelled() {
    this.runs.cancel();
    this.progress.end("Cancelled.");
    this.againButton.hidden = false;
    this.againButton.focus(); // the button that was pressed is gone
  }

  /**
   * A knob was turned.
   * @param {boolean} moving
   */
  #turned(moving) {
    this.isMoving = moving;
    const { values, seed, words, recorded } = this.knobs;
    const key = this.here.get(words);
    if (key !== undefined) {
      this.runs.cancel();
      this.progress.end();
      if (key !== this.shown) this.downloads.withdraw();
      void this.#show(key);
      return;
    }
    this.againButton.hidden = true;
    if (this.runs.newest?.words === words) return; // it is on its way
    if (!moving && this.wall_s > QUICK_S) this.runs.cancel();
    this.runs.want({ values, seed, words, recorded });
  }

  /**
   * @param {Wanted} wanted
   * @param {AbortSignal} signal
   */
  async #run(wanted, signal) {
    const { lab, progress, widget } = this;
    try {
      const [planned] = await prepared(widget, wanted.values, wanted.seed, progress);
      if (signal.aborted) return;
      const { result, wall_s } = await measured(lab, planned, progress, signal);
      this.wall_s = wall_s;
      this.#add(wanted, result);
      progress.end();
    } catch (error) {
      if (signal.aborted) return;
      progress.end(sorry(error));
      this.againButton.hidden = false;
    }
  }

  /**
   * @param {Wanted} wanted
   * @param {import("../results/result.mjs").Result} result
   */
  #add({ values, words, recorded }, result) {
    const { handle, widget, recipe, lab } = this;
    const { points, runs, name } = handle.payload;
    const context = { values, chart: widget.chart ?? {} };
    const point = livePoint(result, { recipe, context, runs, turned: words, where: where(lab) });
    const before = recorded === null ? null : points[recorded];
    const isRecorded = before && isSame(before, point);
    const key = isRecorded ? String(recorded) : `here: ${words}`;
    points[key] = isRecorded ? { ...point, where: `${point.where}: the same figures as recorded` } : point;
    this.here.set(words, key);
    this.downloads.offer(result, `${name}-${words}`);
    this.shown = key;
    void this.#show(key);
    this.#forget();
  }

  /**
   * While a knob is dragged, or another run is wanted, it is but passed by.
   * @param {string} key
   */
  #show(key) {
    const isPassing = this.isMoving || this.here.get(this.knobs.words) !== key;
    return isPassing ? this.handle.turned(key) : this.handle.letGo(key);
  }

  /** Runs of this page that nobody will ask for by “Before”. */
  #forget() {
    const { points } = this.handle.payload;
    const kept = new Set(this.handle.kept());
    const old = [...this.here].filter(([, key]) => key.startsWith("here: ") && !kept.has(key));
    for (const [words, key] of old.slice(0, -KEPT)) {
      delete points[key];
      this.here.delete(words);
    }
  }
}
