// @ts-check
/* The notebook's kernel, asked by messages with numbers: each is answered by its number (labkit/widgets/face.py). */

/** @typedef {Record<string, any>} Json */
/**
 * What anywidget gives of a widget's model.
 * @typedef {{get: (name: string) => any, send: (content: Json) => void, on: (event: string, f: (...given: any[]) => void) => void,
 *   off: (event: string, f: (...given: any[]) => void) => void, widget_manager?: any}} Model
 */
/** @typedef {{signal: AbortSignal, progress: import("./progress.mjs").Progress}} How */

const SILENT_MS = 5000; // a kernel that says nothing for so long is busy with a cell, or gone
const SILENT = "The notebook's kernel does not answer: a cell may be running.";
const GONE = "The notebook's kernel is gone, or was started anew: run this cell again.";

export class Kernel {
  /** @type {Map<number, {heard: (content: Json, buffers: DataView[]) => void, gone: () => void}>} */
  #waiting = new Map();
  #number = Math.floor(Math.random() * 1e9) * 1000; // another view of the same widget has others

  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const heard = (/** @type {Json} */ content, /** @type {DataView[]} */ buffers) =>
      this.#waiting.get(content.run ?? content.file)?.heard(content, buffers);
    const known = () => {
      const latest = model.get("latest");
      for (const run of latest.runs) this.#waiting.get(run)?.heard({ run, latest }, []);
    };
    const gone = () => {
      for (const one of this.#waiting.values()) one.gone();
    };
    this.events = { "msg:custom": heard, "change:latest": known, comm_live_update: gone };
    for (const [event, f] of Object.entries(this.events)) model.on(event, f);
  }

  /** Nobody looks any more. */
  close() {
    for (const [event, f] of Object.entries(this.events)) this.model.off(event, f);
    for (const cancel of this.#waiting.keys()) this.#sent({ cancel });
  }

  /**
   * Run something.
   * @param {Json} what values and seed, or a seed alone
   * @param {How & {which?: string}} how
   * @returns {Promise<{latest: Json, run: number} | null>} the trait `latest`; null if it was ended
   */
  async run(what, { signal, progress, which = "" }) {
    const run = this.#next();
    progress.run("Running", null);
    return new Promise((resolve, reject) => {
      const wait = () => setTimeout(() => progress.say(SILENT), SILENT_MS);
      let silent = wait();
      const end = () => {
        clearTimeout(silent);
        this.#waiting.delete(run);
      };
      const fail = (/** @type {string} */ said) => {
        end();
        reject(new Error(said));
      };
      signal.addEventListener("abort", () => {
        end();
        this.#sent({ cancel: run });
        resolve(null);
      });
      const heard = (/** @type {Json} */ answer) => {
        clearTimeout(silent);
        if (answer.latest) {
          end();
          resolve({ latest: answer.latest, run });
        } else if ("failed" in answer) fail(answer.failed);
        else {
          silent = wait();
          this.#progressed(answer, progress, which);
        }
      };
      this.#waiting.set(run, { heard, gone: () => fail(GONE) });
      if (!this.#sent({ ...what, run })) fail(GONE);
    });
  }

  /**
   * A file of a run, if it is still at hand.
   * @param {Json} what of: the run's number; kind, and table
   * @returns {Promise<{content: Json, buffers: DataView[]}>}
   */
  async file(what) {
    const file = this.#next();
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ said) => {
        this.#waiting.delete(file);
        reject(new Error(said));
      };
      const heard = (/** @type {Json} */ content, /** @type {DataView[]} */ buffers) => {
        this.#waiting.delete(file);
        if ("failed" in content) fail(content.failed);
        else resolve({ content, buffers });
      };
      this.#waiting.set(file, { heard, gone: () => fail(GONE) });
      if (!this.#sent({ ...what, file })) fail(GONE);
    });
  }

  /**
   * Whether there is somebody to send it to.
   * @param {Json} content
   */
  #sent(content) {
    try {
      this.model.send(content);
      return true;
    } catch {
      return false; // the front end has closed the way to the kernel
    }
  }

  #next() {
    this.#number += 1;
    return this.#number;
  }

  /**
   * @param {Json} answer
   * @param {import("./progress.mjs").Progress} progress
   * @param {string} which
   */
  #progressed({ time, of, said }, progress, which) {
    progress.until = of;
    progress.time(time);
    const what = [said, which.replace(/^, /, "")].filter(Boolean).join(", ");
    if (what) progress.say(time ? `${what}: ${progress.clock.textContent}` : what);
  }
}
