// @ts-check
/* The first page: a question, a slider, packets, a number. What it shows are the recorded runs of a chapter's explorer; "Run
 * it here" makes them in this page. book/extensions/opening.py writes what it starts from. */

import { button } from "../widgets/dom.mjs";
import { KnobControls } from "../widgets/knob_controls.mjs";
import { Progress } from "../widgets/progress.mjs";
import { Moving } from "./moving.mjs";

/** @typedef {import("../programs/knobs.mjs").Knob} Knob */
/** @typedef {{say: string, verdict: string}} Answer */
/**
 * knobs: those to turn; fixed: where the others stand; runs: by the texts of all knobs what was measured; films: where they
 * are; asked: where the knobs stand in the question; live: the script that runs it here, null: the site has none.
 * @typedef {{knobs: Knob[], fixed: Record<string, string>, runs: Record<string, Run>, films: string,
 *   answers: Answer[], asked: Record<string, string>, live: string | null}} Held
 */
/** @typedef {{key: string, goodput: string}} Run */
/** @typedef {import("./live.mjs").Live} Live */

const script = /** @type {HTMLScriptElement} */ (document.currentScript);

class Opening {
  /** @type {Promise<Record<string, {film: any, sha256: string}>>} */
  #films;
  /** @type {Live | null} */
  #live = null;
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {HTMLElement} box
   * @param {Held} held
   */
  constructor(box, held) {
    this.held = held;
    this.#films = fetch(new URL(held.films, script.src)).then((response) => response.json());
    const find = (/** @type {string} */ name) => /** @type {HTMLElement} */ (box.querySelector(`.${name}`));
    this.verdict = find("lp-verdict");
    this.number = find("lp-number");
    this.said = find("lp-said");
    this.moving = new Moving(find("lp-moving"));
    this.controls = this.#equipped(held.knobs.map((knob) => knob.default));
    this.answers = held.answers.map((answer) => button(answer.say, () => void this.#answered(answer)));
    find("lp-answers").replaceChildren(...this.answers);
    this.place = find("lp-controls");
    this.place.replaceChildren(...this.controls.boxes);
    this.progress = new Progress(() => this.#running?.abort());
    this.startButton = button("Run it here", () => void this.#start());
    if (held.live && location.protocol !== "file:")
      find("lp-start").append(this.startButton, this.progress.box);
    void this.#show();
  }

  /** @param {number[]} places */
  #equipped(places) {
    const turned = (/** @type {boolean} */ moving) => void this.#turned(moving);
    return new KnobControls(this.held.knobs, "opening", places, { turned, seed: null });
  }

  get values() {
    return { ...this.held.fixed, ...this.controls.values };
  }

  /** @param {Record<string, string>} values */
  #run(values) {
    return this.held.runs[JSON.stringify(Object.entries(values).sort())];
  }

  /** @param {boolean} moving */
  async #turned(moving) {
    this.verdict.textContent = "";
    await this.#show();
    if (this.#live && !moving) await this.#again();
  }

  /** @param {Answer} answer */
  async #answered({ say, verdict }) {
    const { knobs, asked } = this.held;
    for (const one of this.answers) one.setAttribute("aria-pressed", String(one.textContent === say));
    const places = knobs.map((knob, i) =>
      knob.name in asked ? knob.texts.indexOf(asked[knob.name]) : this.controls.places[i],
    );
    this.controls = this.#equipped(places);
    this.place.replaceChildren(...this.controls.boxes);
    await this.#turned(false);
    this.verdict.textContent = `${this.#run(this.values).goodput}. ${verdict}`;
  }

  /** What was recorded where the knobs stand. */
  async #show() {
    const run = this.#run(this.values);
    this.number.textContent = run.goodput;
    const { film } = (await this.#films)[run.key];
    if (this.#run(this.values) === run) this.moving.show(film);
  }

  async #start() {
    this.startButton.disabled = true;
    this.progress.start("Fetching the kernel");
    try {
      const { live } = await import(new URL(/** @type {string} */ (this.held.live), script.src).href);
      this.#live = await live((/** @type {number} */ got, /** @type {number} */ of) =>
        this.progress.bytes(got, of),
      );
      this.startButton.textContent = "Run it again";
      await this.#again();
    } catch (error) {
      this.progress.end(`It cannot be run here: ${error instanceof Error ? error.message : error}`);
    }
    this.startButton.disabled = false;
  }

  async #again() {
    this.#running?.abort();
    const abort = new AbortController();
    this.#running = abort;
    const live = /** @type {Live} */ (this.#live);
    const run = this.#run(this.values);
    try {
      const made = await live.run(this.values, { signal: abort.signal, progress: this.progress });
      if (abort.signal.aborted) return;
      this.progress.end();
      this.number.textContent = made.goodput;
      const same = made.sha256 === (await this.#films)[run.key].sha256;
      this.said.textContent =
        `Linux ${live.kernel} has just sent these 60 seconds in your page, in ${made.wall_s.toFixed(2)} s: ` +
        (same ? "the same as recorded, to the bit." : `${made.goodput}, recorded: ${run.goodput}.`);
    } catch (error) {
      if (!abort.signal.aborted) this.progress.end(error instanceof Error ? error.message : String(error));
    }
  }
}

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".lp-opening"))) {
  const held = box.querySelector('script[type="application/json"]');
  new Opening(box, JSON.parse(held?.textContent ?? ""));
}
