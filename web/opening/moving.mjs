// @ts-check
/* Packets in motion, without the player's buttons: its stage alone, in a loop. */

import { button, element } from "../widgets/dom.mjs";

const SPEED = 0.015; // of the network's time by real time: a round trip of 50 ms takes three seconds

const P = /** @type {any} */ (window).LabkitPlayer; // of the player's own files: build.mjs puts them in front

export class Moving {
  /** @type {any} */
  #model = null;
  /** @type {any} */
  #stage = null;
  /** @type {any} */
  #clock = null;
  #isStopped = false;
  #isSeen = true;

  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.#isStopped = this.still.matches;
    this.canvas = element("canvas", { role: "img" });
    this.button = button("", () => this.#toggle(), { className: "lp-button lp-pause" });
    box.classList.add("lpp");
    box.replaceChildren(this.canvas, this.button);
    new ResizeObserver(() => this.#laid()).observe(box);
    new MutationObserver(() => this.#laid()).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isSeen = isIntersecting;
      this.#follow();
    }).observe(box);
    this.#name();
  }

  /** @param {any} film of labkit's player */
  show(film) {
    this.#clock?.pause();
    this.#model = P.read(film);
    this.#stage = P.stage(this.canvas, this.#model);
    this.#clock = P.clock(this.#model, this.still, () => this.#moved());
    this.#clock.now.speed = SPEED;
    this.canvas.setAttribute("aria-label", film.description);
    this.#laid();
    this.#follow();
  }

  #laid() {
    const width = Math.floor(this.box.clientWidth);
    if (!this.#model || !width) return;
    this.look = P.looks(this.box, this.#model.film);
    this.#stage.resize(width, this.look);
    this.#draw();
  }

  #draw() {
    const { t, speed } = this.#clock.now;
    this.#stage.draw(t, { look: this.look, speed, still: this.still.matches, chosen: null });
  }

  #moved() {
    this.#draw();
    const { t } = this.#clock.now;
    if (t >= this.#model.end) setTimeout(() => this.#follow()); // from the beginning again
  }

  /** It plays where it is seen, unless the reader has stopped it. */
  #follow() {
    if (!this.#clock) return;
    const wanted = this.#isSeen && !this.#isStopped;
    if (this.#clock.now.playing !== wanted) this.#clock.toggle();
  }

  #toggle() {
    this.#isStopped = !this.#isStopped;
    this.#name();
    this.#follow();
  }

  #name() {
    this.button.textContent = this.#isStopped ? "▶" : "❚❚";
    this.button.setAttribute("aria-label", this.#isStopped ? "Play the packets" : "Stop the packets");
  }
}
