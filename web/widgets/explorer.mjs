// @ts-check
/* An explorer: knobs on an experiment, a chart that follows them with the run before behind it, and a dot for every run. Its
 * runs were recorded, or a laboratory makes them, this page's or that of a notebook; the newest that is wanted counts. */

import { button, element } from "./dom.mjs";
import { DotFigure } from "./dot_figure.mjs";
import { Downloads } from "./downloads.mjs";
import { KnobControls, placesOf } from "./knob_controls.mjs";
import { Latest } from "./latest.mjs";
import { linkButton } from "./link_button.mjs";
import { canOverlay, together } from "./overlay.mjs";
import { Progress } from "./progress.mjs";
import { compared, line, summaryOf } from "./run_list.mjs";
import { Spoken } from "./spoken.mjs";

/** @typedef {import("./points.mjs").Point} Point */
/** @typedef {import("../programs/knobs.mjs").Knob} Knob */
/** @typedef {import("./points.mjs").Draw} Draw */
/** @typedef {{values: Record<string, string>, seed: number | undefined, words: string}} Wanted */
/**
 * values: where the knobs were left, or a link has them; keep: they rest there now; link: an address that has them there;
 * dots: of the runs that were made here.
 * @typedef {{values: Record<string, string>, keep: (values: Record<string, string>) => void,
 *   link: (values: Record<string, string>) => string, dots: import("./dot_figure.mjs").Memory}} Memory
 */
/**
 * What makes runs. atOnce: at each turn of a knob, or when a button is pressed; note: what is said of it; where: what is
 * said of each of its runs; run: does not reject when it is ended by the signal; what goes wrong is an Error whose message
 * is for the reader.
 * @typedef {object} Laboratory
 * @property {string} seed what an empty box for the seed says
 * @property {readonly Knob[]} knobs
 * @property {boolean} atOnce
 * @property {string} note
 * @property {string} where
 * @property {(wanted: Wanted, how: {signal: AbortSignal, progress: Progress}) => Promise<Point | null>} run null: it was ended
 * @property {import("./downloads.mjs").Files} files of the latest run
 */

const QUICK_MS = 500; // the last value waits for a run that is so quick: it is seen on the way; a longer one is ended
const KEPT = 12; // runs of a laboratory that can be come back to

export class Explorer {
  /** Runs that were made here, by the words of their knobs, the latest last. @type {Map<string, Point>} */
  #here = new Map();
  /** @type {Laboratory | null} */
  #lab = null;
  #shown = ""; // the run in the picture, by its words
  #rested = ""; // where the knobs were let go last
  #before = ""; // and before that
  #isMoving = false;
  #took_ms = 0;
  /** The run whose files are at hand. */
  #kept = "";

  /**
   * @param {HTMLElement} figure with an element .lp-view
   * @param {{name: string, knobs: Knob[]}} asked
   * @param {{draw: Draw, points?: Map<string, Point>, role?: string, memory?: Memory | null, seed?: string | null}} how
   *   points: that were recorded; role: of a chart; seed: what its box says until there is a laboratory, null: no box
   */
  constructor(figure, asked, { draw, points = new Map(), role = "img", memory = null, seed = null }) {
    this.figure = figure;
    this.name = asked.name;
    this.draw = draw;
    this.points = points;
    this.role = role;
    this.memory = memory;
    this.seed = seed;
    this.view = /** @type {HTMLElement} */ (figure.querySelector(".lp-view"));
    const link = memory && (() => memory.link(this.controls.values));
    this.linkButton = linkButton(link, (text) => this.spoken.say(text));
    this.forgetButton = button("Forget earlier runs", () => this.#forget(), { disabled: true });
    this.group = element("div", { className: "lp-controls", role: "group", "aria-label": "Knobs" });
    this.place = element("div", { className: "lp-here" });
    this.below = element("div", { className: seed === null ? "lp-here" : "lp-here lp-room" });
    this.runs = element("ul", { className: "lp-runs" });
    this.spoken = new Spoken(); // the runs are listed to be seen
    this.fault = element("p", { className: "lp-error", hidden: true });
    this.view.before(this.group, this.place);
    const recorded = /** @type {import("./dots.mjs").Dot[]} */ ([...points.values()]);
    this.dots = new DotFigure(figure.id, asked.knobs, recorded, { draw, role, memory: memory?.dots ?? null });
    const told = element("div", { className: "lp-told" }, this.dots.box, this.runs);
    this.view.after(this.fault, told, this.below, this.spoken.box);
    this.controls = this.#equipped(asked.knobs, placesOf(asked.knobs, memory?.values ?? {}));
    /** @type {Latest<Wanted>} */
    this.latest = new Latest((wanted, signal) => this.#run(wanted, signal));
    this.progress = new Progress(() => this.#cancelled());
    this.runButton = button("Run", () => this.#wanted(false));
  }

  /** The recorded run where the knobs stand. */
  async show() {
    this.#rested = this.controls.words;
    await this.#show(this.#rested, { silent: true });
  }

  /**
   * From now on runs are made.
   * @param {Laboratory} lab
   */
  attach(lab) {
    this.#lab = lab;
    this.controls = this.#equipped(lab.knobs, this.controls.places);
    this.downloads = new Downloads(this.figure.id, lab.files);
    this.below.replaceChildren(this.downloads.box);
    const note = element("p", { className: "lp-note", textContent: lab.note });
    this.place.replaceChildren(
      element("div", { className: "lp-live" }, this.runButton, note, this.progress.box),
    );
    this.#offerRun(!lab.atOnce);
  }

  /** Run where the knobs stand, as if they had just been turned. */
  start() {
    this.#wanted(false);
  }

  /**
   * A run that was made before this page was opened.
   * @param {Point} point
   * @param {string} words where its knobs stood
   */
  async had(point, words) {
    const { values } = this.controls;
    this.#made(words, this.controls.words === words ? { ...point, values } : point);
    await this.#show(words, { silent: true });
  }

  /**
   * @param {readonly Knob[]} knobs
   * @param {readonly number[]} start
   */
  #equipped(knobs, start) {
    const turned = (/** @type {boolean} */ moving) => this.#turned(moving);
    const seed = this.#lab?.seed ?? this.seed;
    const made = new KnobControls(knobs, this.figure.id, start, { turned, seed, isIdle: !this.#lab });
    this.group.replaceChildren(...made.boxes, this.forgetButton, this.linkButton);
    return made;
  }

  /** @param {boolean} isOffered */
  #offerRun(isOffered) {
    this.runButton.textContent = this.#lab?.atOnce ? "Run it again" : "Run";
    this.runButton.hidden = !isOffered && (this.#lab?.atOnce ?? true);
  }

  /** @param {boolean} moving a slider is dragged */
  #turned(moving) {
    this.#isMoving = moving;
    const { words, places, seed, values } = this.controls;
    const isRecorded = seed === undefined && !places.includes(-1); // others are not there after a reload
    this.linkButton.disabled = !isRecorded;
    if (isRecorded && !moving) this.memory?.keep(values);
    if ((this.#lab ? this.#here : this.points).has(words)) {
      this.latest.cancel();
      this.progress.end();
      void this.#show(words);
    } else if (!this.#lab) this.#broken(`No run was recorded with ${words}.`);
    else if (this.#lab.atOnce) this.#wanted(moving);
  }

  /** @param {boolean} moving */
  #wanted(moving) {
    this.#isMoving = moving;
    const { values, seed, words } = this.controls;
    if (this.latest.newest?.words === words) return; // it is on its way
    this.#offerRun(false);
    if (!moving && this.#took_ms > QUICK_MS) this.latest.cancel();
    this.latest.want({ values, seed, words });
  }

  #cancelled() {
    this.latest.cancel();
    this.progress.end("Cancelled.");
    this.#offerRun(true);
    this.runButton.focus(); // the button that was pressed is gone
  }

  /**
   * @param {Wanted} wanted
   * @param {AbortSignal} signal
   */
  async #run(wanted, signal) {
    const lab = /** @type {Laboratory} */ (this.#lab);
    const began = performance.now();
    try {
      const point = await lab.run(wanted, { signal, progress: this.progress });
      if (signal.aborted || point === null) return;
      this.#took_ms = performance.now() - began;
      const { words, values, seed } = wanted;
      const where = compared(lab.where, point, this.points.get(words));
      this.#add(words, { ...point, values, seed, where });
      this.progress.end();
    } catch (error) {
      if (signal.aborted) return;
      this.progress.end(error instanceof Error ? error.message : String(error));
      this.#offerRun(true);
    }
  }

  /**
   * @param {string} words
   * @param {Point} point
   */
  #made(words, point) {
    this.#here.delete(words);
    this.#here.set(words, point);
    this.#kept = words;
    const { values, seed, summary } = point;
    if (values) this.dots.add({ values, seed, summary });
    this.downloads?.offer(`${this.name}-${words}`);
  }

  /**
   * @param {string} words
   * @param {Point} point
   */
  #add(words, point) {
    this.#made(words, point);
    void this.#show(words);
    const asked = new Set([this.#shown, this.#rested, this.#before]);
    const old = [...this.#here.keys()].filter((other) => !asked.has(other));
    for (const other of old.slice(0, -KEPT)) this.#here.delete(other);
  }

  /**
   * Draw a run; where knobs are still moved, or another run is wanted, it is but passed by.
   * @param {string} words
   * @param {{silent?: boolean}} [how]
   */
  async #show(words, { silent = false } = {}) {
    const isPassing = this.#isMoving || this.controls.words !== words;
    if (!isPassing && words !== this.#rested) {
      this.#before = this.#rested;
      this.#rested = words;
    }
    if (this.#lab && words !== this.#kept) this.downloads?.withdraw();
    this.#shown = words;
    try {
      await this.#drawn(words, silent);
      const { values, seed, summary, chart } = this.#at(words) ?? {};
      if (values && summary && this.#shown === words) await this.dots.show({ values, seed, summary }, chart);
    } catch (error) {
      this.#broken(`This run cannot be drawn: ${error instanceof Error ? error.message : error}`);
      if (silent) throw error;
    }
  }

  /**
   * @param {string} words
   * @param {boolean} silent
   */
  async #drawn(words, silent) {
    const point = this.#at(words);
    const earlier = words === this.#rested ? this.#before : this.#rested;
    this.forgetButton.disabled = !earlier && this.dots.isEmpty;
    if (!point || point.empty) {
      this.#broken(point?.empty ?? `No run was recorded with ${words}.`);
      if (!silent) this.spoken.say(this.fault.textContent ?? "");
      return;
    }
    const hasBoth = canOverlay(point.chart ?? {}) && this.#at(earlier)?.chart;
    const keys = hasBoth ? [words, earlier] : [words];
    const { spec, data } = together(keys.map((key) => /** @type {Point} */ (this.#at(key))));
    this.fault.hidden = true;
    this.view.hidden = false;
    this.view.setAttribute("role", this.role);
    this.view.setAttribute("aria-label", point.description || words);
    this.runs.replaceChildren(
      ...keys.map((key, age) => line(key, /** @type {Point} */ (this.#at(key)), age)),
    );
    if (!silent) this.spoken.say(`${words}. ${summaryOf(point)}. ${point.description ?? ""}`);
    await this.draw(this.view, spec, { data });
  }

  /** @param {string} words */
  #at(words) {
    return this.#here.get(words) ?? this.points.get(words);
  }

  #forget() {
    this.#rested = this.#shown;
    this.#before = "";
    void this.dots.forget();
    void this.#show(this.#shown);
  }

  /** @param {string} text */
  #broken(text) {
    this.fault.textContent = text;
    this.fault.hidden = false;
    this.view.hidden = true;
    this.runs.replaceChildren();
  }
}
