// @ts-check
/* How far a fetch or a run has come: a bar, words, a button that cancels. Screen readers hear of its end, not of each
 * step. */

import { button, element } from "./dom.mjs";

const PATIENCE_MS = 300; // what is done sooner needs no bar
const RUN_PATIENCE_MS = 1000; // nor does a run: while a knob is dragged there are several a second

export class Progress {
  /** @param {() => void} cancel */
  constructor(cancel) {
    this.bar = element("progress", { "aria-label": "Progress" });
    this.clock = element("span", { className: "lp-clock" });
    this.cancelButton = button("Cancel", cancel);
    this.row = element(
      "div",
      { className: "lp-progress", hidden: true },
      this.bar,
      this.clock,
      this.cancelButton,
    );
    this.said = element("p", { className: "lp-note", role: "status" });
    this.box = element("div", {}, this.row, this.said);
    this.until = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.late = undefined;
  }

  /** @param {string} what is under way */
  start(what) {
    this.#begin(what, PATIENCE_MS);
  }

  /**
   * @param {string} what
   * @param {number | null} until_s virtual time at which it ends at the latest
   */
  run(what, until_s) {
    this.until = until_s ?? 0;
    this.#begin(what, RUN_PATIENCE_MS);
  }

  /**
   * @param {string} what
   * @param {number} patience_ms
   */
  #begin(what, patience_ms) {
    this.bar.removeAttribute("value");
    this.bar.setAttribute("aria-label", what);
    this.clock.textContent = what;
    this.said.textContent = "";
    clearTimeout(this.late);
    this.late = setTimeout(() => {
      this.row.hidden = false;
    }, patience_ms);
  }

  /**
   * Virtual time has gone on.
   * @param {number} virtual_s
   */
  time(virtual_s) {
    const now = Math.max(virtual_s, 0);
    if (!this.until) {
      this.clock.textContent = `${now.toFixed(0)} s of the network's time; it ends when all is sent`;
      return;
    }
    const most = Math.max(this.until, now);
    this.bar.max = most;
    this.bar.value = now;
    const digits = this.until < 10 ? 1 : 0;
    this.clock.textContent = `${now.toFixed(digits)} of ${this.until.toFixed(digits)} s of the network's time`;
  }

  /**
   * What it waits for, or which part of it is under way.
   * @param {string} said
   */
  say(said) {
    this.clock.textContent = said;
  }

  /**
   * Bytes have come.
   * @param {number} got
   * @param {number} of
   */
  bytes(got, of) {
    this.bar.max = Math.max(of, 1);
    this.bar.value = got;
    this.clock.textContent = `${(got / 1e6).toFixed(1)} of ${(of / 1e6).toFixed(1)} MB fetched`;
  }

  /**
   * Nothing is under way any more.
   * @param {string} [said]
   */
  end(said = "") {
    clearTimeout(this.late);
    this.row.hidden = true;
    this.said.textContent = said;
  }
}
