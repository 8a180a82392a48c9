// @ts-check
/* Work of which only the newest that is wanted counts: a knob that is dragged wants more runs than can be made. What is
 * under way is let finish; what was wanted meanwhile, but for the newest, is never begun. */

/** @template T */
export class Latest {
  /** @type {{wanted: T} | null} */
  #next = null;
  /** @type {AbortController | null} */
  #abort = null;
  /** @type {T | null} what is under way */
  #now = null;

  /** @param {(wanted: T, signal: AbortSignal) => Promise<void>} work does not reject */
  constructor(work) {
    this.work = work;
  }

  /** What will have been done last, if nothing else is asked for: null if nothing is to be done. */
  get newest() {
    return this.#next ? this.#next.wanted : this.#now;
  }

  /**
   * As soon as what is under way is done.
   * @param {T} wanted
   */
  want(wanted) {
    this.#next = { wanted };
    if (!this.#abort) void this.#go();
  }

  /** End what is under way, and forget what was wanted. */
  cancel() {
    this.#next = null;
    this.#now = null;
    this.#abort?.abort();
    this.#abort = null;
  }

  async #go() {
    const abort = new AbortController();
    this.#abort = abort;
    while (this.#next && this.#abort === abort) {
      this.#now = this.#next.wanted;
      this.#next = null;
      await this.work(this.#now, abort.signal);
    }
    if (this.#abort !== abort) return; // another has begun since
    this.#abort = null;
    this.#now = null;
  }
}
