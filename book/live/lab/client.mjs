// @ts-check
/* The page's side of the machine's worker (labkit/execute/tab/machine/worker.mjs). Knows one machine and the runs that
 * it does one at a time; whose turn it is is lab.mjs's affair. */

import { cancelled, LabError } from "./errors.mjs";

/** @typedef {import("../../../labkit/execute/tab/machine/machine.mjs").Reason} Reason */
/** @typedef {{raw: Uint8Array<ArrayBuffer>, reason: Reason, text: string}} Done */
/**
 * @typedef {object} Run
 * @property {(done: Done) => void} resolve
 * @property {(error: LabError) => void} reject
 * @property {((seconds: number) => void) | undefined} onTime
 */

const WORKER = new URL("../../../labkit/execute/tab/machine/worker.mjs", import.meta.url);
const PATIENCE_MS = 1000; // a machine that was told to stop does so within a slice of its work, some 50 ms

export class MachineWorker {
  constructor() {
    this.worker = new Worker(WORKER, { type: "module" });
    this.worker.onmessage = ({ data }) => this.#hear(data);
    this.worker.onerror = (event) =>
      this.#die(
        new LabError("failed", `The laboratory cannot run in this browser: ${event.message ?? "no worker"}.`),
      );
    /** @type {Map<number, Run>} */
    this.runs = new Map();
    this.ids = 0;
    /** Whether it is of no use any more. */
    this.dead = false;
    /** @type {(error?: LabError) => void} */
    this.opened = () => {};
    /** @type {Promise<void>} */
    this.ready = new Promise((resolve, reject) => {
      this.opened = (error) => (error ? reject(error) : resolve());
    });
    this.ready.catch(() => {}); // whoever runs something is told
  }

  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array<ArrayBuffer>} state
   */
  open(module, state) {
    this.worker.postMessage({ type: "open", wasm: module, state });
  }

  /**
   * To be asked for once it is `ready`.
   * @param {Uint8Array} program
   * @param {{onTime?: (seconds: number) => void, byteLimit?: number}} [watch]
   * @returns {{done: Promise<Done>, stop: () => void}} `stop` lets it end as "stopped", with what there is until then
   */
  run(program, { onTime, byteLimit } = {}) {
    const id = ++this.ids;
    /** @type {Promise<Done>} */
    const done = new Promise((resolve, reject) => {
      if (this.dead) return reject(cancelled());
      this.runs.set(id, { resolve, reject, onTime });
      this.worker.postMessage({ type: "run", id, program, byteLimit });
    });
    return { done, stop: () => this.worker.postMessage({ type: "stop", id }) };
  }

  /**
   * Until a run that was told to stop has stopped, so that compiled code is kept for the next; else the worker is ended.
   * @param {{done: Promise<Done>, stop: () => void}} run
   */
  async settle(run) {
    run.stop();
    const late = setTimeout(() => this.close(), PATIENCE_MS);
    await run.done.catch(() => {});
    clearTimeout(late);
  }

  /** Memory and all. Runs that are not done are cancelled. */
  close() {
    this.#die(cancelled());
  }

  /** @param {any} data */
  #hear(data) {
    const run = this.runs.get(data.id);
    if (data.type === "ready") this.opened();
    else if (data.type === "time") run?.onTime?.(data.seconds);
    else if (data.type === "failed" && !run) this.#die(new LabError("failed", data.message));
    else if (run) {
      this.runs.delete(data.id);
      if (data.type === "done") run.resolve({ raw: data.raw, reason: data.reason, text: data.text });
      else {
        run.reject(new LabError("failed", data.message));
        this.close(); // a machine that has failed is not asked again
      }
    }
  }

  /** @param {LabError} error */
  #die(error) {
    if (this.dead) return;
    this.dead = true;
    this.worker.terminate();
    this.opened(error);
    for (const run of this.runs.values()) run.reject(error);
    this.runs.clear();
  }
}
