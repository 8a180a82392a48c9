// @ts-check
/* The page's side of Python: questions in, answers out. The worker is started by the first question and stays. */

/** @typedef {any} Json */
/** @typedef {(gotBytes: number, ofBytes: number) => void} OnFetch */

const WORKER = new URL("../programs/python_worker.mjs", import.meta.url);

/** @type {Client | null} */
let client = null;
/** @type {Set<OnFetch>} */
const watching = new Set();

/**
 * Told of the bytes that arrive when Python is first needed, some 15 MB. Returns what ends it.
 * @param {OnFetch} onFetch
 */
export function watchPython(onFetch) {
  watching.add(onFetch);
  return () => watching.delete(onFetch);
}

/**
 * @param {Json} question see book/extensions/live/in_page.py
 * @returns {Promise<Json>}
 */
export function askPython(question) {
  client ??= new Client();
  return client.ask(question);
}

class Client {
  /** @type {Map<number, {resolve: (answer: Json) => void, reject: (error: Error) => void}>} */
  #asked = new Map();
  #number = 0;

  constructor() {
    this.worker = new Worker(WORKER, { type: "module" });
    this.worker.onmessage = ({ data }) => this.#heard(data);
    this.worker.onerror = ({ message }) =>
      this.#end(`Python does not start in this browser: ${message ?? "it has no workers of modules"}.`);
  }

  /** @param {Json} question */
  ask(question) {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      this.worker.postMessage({ number, question });
    });
  }

  /** @param {Json} said */
  #heard({ number, answer, failed, got, of }) {
    if (failed !== undefined) this.#end(failed);
    else if (number === undefined) for (const onFetch of watching) onFetch(got, of);
    else {
      this.#asked.get(number)?.resolve(answer);
      this.#asked.delete(number);
    }
  }

  /**
   * Whoever has asked is told; the next question starts another one.
   * @param {string} message
   */
  #end(message) {
    this.worker.terminate();
    if (client === this) client = null;
    for (const { reject } of this.#asked.values()) reject(new Error(message));
    this.#asked.clear();
  }
}
