// @ts-check
/* The small figure below an explorer's large one: a dot for each run, against the knob that was moved last or another one
 * that the reader chooses. What was run here is remembered. */

import { element } from "./dom.mjs";
import { dotted, results } from "./dots.mjs";
import { wordsOf } from "./spelled.mjs";

/** @typedef {import("./dots.mjs").Dot} Dot */
/** @typedef {import("./points.mjs").Json} Json */
/** @typedef {import("../programs/knobs.mjs").Knob} Knob */
/** had: runs of an earlier visit; keep: those that there are now. @typedef {{had: Dot[], keep: (dots: Dot[]) => void}} Memory */

const MOST = 300; // that are kept

export class DotFigure {
  /** Runs made here by what they are called, the latest last. @type {Map<string, Dot>} */
  #own = new Map();
  /** @type {Dot | null} */
  #now = null;
  #title = "";
  /** @type {Json} */
  #look = {};

  /**
   * @param {string} id of the explorer's figure
   * @param {readonly Knob[]} knobs
   * @param {readonly Dot[]} recorded
   * @param {{draw: import("./points.mjs").Draw, role: string, memory: Memory | null}} how
   */
  constructor(id, knobs, recorded, { draw, role, memory }) {
    this.knobs = knobs;
    this.recorded = recorded;
    this.draw = draw;
    this.memory = memory;
    for (const dot of memory?.had ?? [])
      if (isOf(knobs, dot)) this.#own.set(wordsOf(knobs, dot.values, dot.seed), dot);
    this.knob = (knobs.find(({ kind }) => kind === "slider") ?? knobs[0]).name;
    this.results = element("select", { "aria-label": "Result on the y axis" });
    this.against = element(
      "select",
      { "aria-label": "Knob on the x axis" },
      ...knobs.map(({ name, label }) => new Option(label, name)),
    );
    this.results.addEventListener("change", () => {
      this.#title = this.results.value;
      void this.#drawn();
    });
    this.against.addEventListener("change", () => {
      this.knob = this.against.value;
      void this.#drawn();
    });
    const said = `${id}-dots`;
    this.said = element("span", { id: said, hidden: true });
    this.view = element("div", {
      className: "lp-dots-view",
      role,
      "aria-label": "A dot for each run",
      "aria-describedby": said,
    });
    const of = element("p", { className: "lp-dots-of" }, this.results, "against", this.against);
    this.box = element("div", { className: "lp-dots", hidden: true }, of, this.view, this.said);
  }

  /**
   * A run that was made here.
   * @param {Dot} dot
   */
  add({ values, seed, summary }) {
    const words = wordsOf(this.knobs, values, seed);
    this.#own.delete(words);
    this.#own.set(words, seed === undefined ? { values, summary } : { values, seed, summary });
    for (const old of [...this.#own.keys()].slice(0, -MOST)) this.#own.delete(old);
    this.memory?.keep([...this.#own.values()]);
  }

  /**
   * The run in the large picture. The knob that differs from the one before is on the x axis.
   * @param {Dot} dot
   * @param {Json} [look] that picture, whose look it has
   */
  async show(dot, look) {
    const before = this.#now;
    const moved = before ? this.knobs.filter(({ name }) => dot.values[name] !== before.values[name]) : [];
    if (moved.length === 1) this.knob = moved[0].name;
    this.#now = dot;
    if (look) this.#look = { $schema: look.$schema, config: look.config };
    await this.#drawn();
  }

  /** Nothing was run here. */
  async forget() {
    this.#own.clear();
    this.memory?.keep([]);
    await this.#drawn();
  }

  get isEmpty() {
    return this.#own.size === 0;
  }

  async #drawn() {
    const now = this.#now;
    if (!now) return;
    const own = [...this.#own.values()];
    const titles = [...results([...this.recorded, ...own, now]).keys()];
    this.box.hidden = !titles.length;
    if (!titles.length) return;
    if (!titles.includes(this.#title)) this.#title = titles[0];
    this.results.replaceChildren(...titles.map((title) => new Option(title)));
    this.results.value = this.#title;
    this.against.value = this.knob;
    const words = wordsOf(this.knobs, now.values, now.seed);
    const { chart, data, description } = dotted({
      knobs: this.knobs,
      knob: this.knob,
      result: this.#title,
      now: this.#own.get(words) ?? now,
      recorded: this.recorded,
      own,
    });
    this.said.textContent = description;
    await this.draw(this.view, { ...this.#look, ...chart }, { data });
  }
}

/**
 * Whether what was remembered is a run of these knobs.
 * @param {readonly Knob[]} knobs
 * @param {any} dot
 */
function isOf(knobs, dot) {
  return Array.isArray(dot?.summary) && knobs.every(({ name }) => typeof dot.values?.[name] === "string");
}
