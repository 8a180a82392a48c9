// @ts-check
/* How far a fetch or a run has come: a bar, words, a button that cancels; and the question before a long run. Screen
 * readers hear of its start, its end and of questions, not of each step. */

import { button, element } from "./dom.mjs";

const PATIENCE_MS = 300; // what is done sooner needs no bar

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
    this.answers = element("div", { className: "lp-asked", hidden: true });
    this.box = element("div", {}, this.row, this.said, this.answers);
    this.until = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.late = undefined;
    /** @type {((yes: boolean) => void) | null} */
    this.answer = null;
  }

  /**
   * @param {string} what is under way
   * @param {number | null} [until_s] virtual time at which it ends at the latest
   */
  start(what, until_s = null) {
    this.until = until_s ?? 0;
    this.bar.removeAttribute("value");
    this.bar.setAttribute("aria-label", what);
    this.clock.textContent = what;
    this.said.textContent = "";
    this.#unask();
    clearTimeout(this.late);
    this.late = setTimeout(() => {
      this.row.hidden = false;
    }, PATIENCE_MS);
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
   * Is a run wanted that will take so long?
   * @param {number} wall_s
   * @returns {Promise<boolean>}
   */
  ask(wall_s) {
    clearTimeout(this.late);
    this.row.hidden = true;
    this.said.textContent = `On this device the run will take ${duration(wall_s)}.`;
    return new Promise((resolve) => {
      const done = (/** @type {boolean} */ yes) => {
        this.#unask();
        if (yes) this.row.hidden = false;
        resolve(yes);
      };
      this.answer = done;
      this.answers.replaceChildren(
        button("Run it", () => done(true)),
        " ",
        button("Do not", () => done(false)),
      );
      this.answers.hidden = false;
    });
  }

  /**
   * Nothing is under way any more.
   * @param {string} [said]
   */
  end(said = "") {
    clearTimeout(this.late);
    const { answer } = this;
    this.#unask();
    answer?.(false);
    this.row.hidden = true;
    this.said.textContent = said;
  }

  #unask() {
    this.answer = null;
    this.answers.hidden = true;
    this.answers.replaceChildren();
  }
}

/** @param {number} seconds */
function duration(seconds) {
  if (!Number.isFinite(seconds)) return "long: its beginning says no more";
  if (seconds < 90) return `about ${Math.round(seconds / 5) * 5} seconds`;
  return `about ${Math.round(seconds / 60)} minutes`;
}
