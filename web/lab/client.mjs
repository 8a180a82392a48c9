// @ts-check
/* The page's side of the machine's worker (worker.mjs), which does one run after the other:
 * each on a machine of its own. */

import { LabError } from "./errors.mjs";

/** @typedef {import("./worker.mjs").Done} Done */
/** @typedef {import("./worker.mjs").Order} Order */

const WORKER = new URL("../lab/worker.mjs", import.meta.url);

export class MachineWorker {
  constructor() {
    this.worker = new Worker(WORKER, { type: "module" });
    /** How many it was asked for. */
    this.runs = 0;
    /** Whether it is of no use any more. */
    this.dead = false;
    /** @type {(error: LabError) => void} */
    this.failed = () => {};
    /** @type {Promise<never>} */
    this.broken = new Promise((_, reject) => {
      this.failed = reject;
    });
    this.broken.catch(() => {}); // whoever runs something is told
    this.worker.onerror = (event) =>
      this.end(
        new LabError("failed", `The laboratory cannot run in this browser: ${event.message ?? "no worker"}.`),
      );
  }

  /**
   * @param {Order} order
   * @param {(seconds: number) => void} onTime
   * @returns {Promise<Done>}
   * @throws {LabError}
   */
  run(order, onTime) {
    const done = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.failed !== undefined) reject(new LabError("failed", data.failed));
        else if (data.reason !== undefined) resolve(data);
        else onTime(data.seconds);
      };
    });
    this.worker.postMessage(order);
    return Promise.race([done, this.broken]);
  }

  /**
   * At once, memory and all.
   * @param {LabError} error for whoever waits for its run
   */
  end(error) {
    this.dead = true;
    this.worker.terminate();
    this.failed(error);
  }
}
