// @ts-check
/* What screen readers hear: the last that was said, once nothing more has been said for a while. */

import { element } from "./dom.mjs";

const QUIET_MS = 400;

export class Spoken {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting = undefined;

  constructor() {
    this.box = element("p", { className: "lp-spoken", "aria-live": "polite" });
  }

  /** @param {string} text */
  say(text) {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      this.box.textContent = text;
    }, QUIET_MS);
  }
}
