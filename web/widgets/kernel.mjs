// @ts-check
/* The notebook's kernel, asked by messages with numbers: each is answered by its number (labkit/widgets/face.py). */

/** @typedef {Record<string, any>} Json */
/**
 * What anywidget gives of a widget's model.
 * @typedef {{get: (name: string) => any, send: (content: Json) => void, on: (event: string, f: (...given: any[]) => void) => void,
 *   off: (event: string, f: (...given: any[]) => void) => void, widget_manager?: any}} Model
 */
/** @typedef {{signal: AbortSignal, progress: import("./progress.mjs").Progress}} How */

const GONE_MS = 5000; // a kernel that says nothing for so long is gone, or busy with a cell

export class Kernel {
  /** @type {Map<number, (content: Json, buffers: DataView[]) => void>} */
  #waiting = new Map();
  #number = Math.floor(Math.random() * 1e9) * 1000; // another view of the same widget has others

  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.heard = (/** @type {Json} */ content, /** @type {DataView[]} */ buffers) =>
      this.#waiting.get(content.run ?? content.file)?.(content, buffers);
    this.known = () => this.#waiting.get(model.get("latest").run)?.({ latest: model.get("latest") }, []);
    model.on("msg:custom", this.heard);
    model.on("change:latest", this.known);
  }

  /** Nobody looks any more. */
  close() {
    this.model.off("msg:custom", this.heard);
    this.model.off("change:latest", this.known);
    if (this.#waiting.size) this.model.send({ cancel: true });
  }

  /**
   * Run something.
   * @param {Json} what values and seed, or a seed alone
   * @param {How & {which?: string}} how
   * @returns {Promise<Json | null>} the trait `latest`; null if it was ended
   */
  async run(what, { signal, progress, which = "" }) {
    const run = this.#next();
    progress.run("Running", null);
    const late = setTimeout(
      () =>
        progress.say(
          "The notebook's kernel does not answer yet: a cell may be running, or it was not started.",
        ),
      GONE_MS,
    );
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(late);
        this.#waiting.delete(run);
      };
      signal.addEventListener("abort", () => {
        end();
        this.model.send({ cancel: true });
        resolve(null);
      });
      this.#waiting.set(run, (answer) => {
        clearTimeout(late);
        if (answer.latest) {
          end();
          resolve(answer.latest);
        } else if ("failed" in answer) {
          end();
          reject(new Error(answer.failed));
        } else this.#progressed(answer, progress, which);
      });
      this.model.send({ ...what, run });
    });
  }

  /**
   * A file of the latest run.
   * @param {Json} what kind, and table
   * @returns {Promise<{content: Json, buffers: DataView[]}>}
   */
  async file(what) {
    const file = this.#next();
    return new Promise((resolve, reject) => {
      this.#waiting.set(file, (content, buffers) => {
        this.#waiting.delete(file);
        if ("failed" in content) reject(new Error(content.failed));
        else resolve({ content, buffers });
      });
      this.model.send({ ...what, file });
    });
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
