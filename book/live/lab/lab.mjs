// @ts-check
/* The laboratory of a page: lab programs in, records out. One for a page, whoever asks; the machine behind it is a Web
 * Worker, and does one run after the other. */

import { MachineWorker } from "./client.mjs";
import { cancelled, LabError } from "./errors.mjs";
import { load } from "./load.mjs";
import { unsupported } from "./unsupported.mjs";

export { LabError, unsupported };

/** @typedef {import("./load.mjs").Parts} Parts */
/** @typedef {import("./load.mjs").OnFetch} OnFetch */
/** @typedef {import("./client.mjs").Done} Done */
/**
 * @typedef {object} Options
 * @property {(seconds: number) => void} [onTime] told now and then of the virtual time since the epoch
 * @property {AbortSignal} [signal] cancels
 * @property {number} [wallLimit_s] the run may take so long
 * @property {number} [byteLimit] and write so many bytes
 */

const WALL_LIMIT_S = 600;
const BYTE_LIMIT = 256 << 20;
const WARM_MS = 4000; // of a run whose code is compiled beforehand
const HIDDEN_MS = 5 * 60_000; // a page that nobody has seen so long keeps no machine

/** @type {Promise<Lab> | null} */
let open = null;
/** @type {Set<OnFetch>} */
const watching = new Set();

/**
 * The page's laboratory. What it is made of is fetched the first time, then kept by the browser.
 * @param {{onFetch?: OnFetch}} [options] onFetch: told of the bytes that have come, of how many
 * @returns {Promise<Lab>}
 * @throws {LabError}
 */
export async function openLab({ onFetch } = {}) {
  const reason = unsupported();
  if (reason) throw new LabError("unsupported", reason);
  if (onFetch) watching.add(onFetch);
  try {
    open ??= start();
    return await open;
  } finally {
    if (onFetch) watching.delete(onFetch);
  }
}

/** @returns {Promise<Lab>} */
async function start() {
  try {
    const parts = await load((got, of) => {
      for (const onFetch of watching) onFetch(got, of);
    });
    const lab = new Lab(parts);
    await lab.ready();
    return lab;
  } catch (error) {
    open = null; // the next who asks tries again
    throw error;
  }
}

export class Lab {
  /** @type {MachineWorker | null} */
  #machine = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** How many runs are wanted and not done. */
  #wanted = 0;
  /** @type {AbortController | null} */
  #warming = null;
  #closed = false;
  #hidden = 0;

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    /** Its version, as "6.12.117". */
    this.kernel = parts.kernel;
    this.#worker();
    document.addEventListener("visibilitychange", this.#seen);
  }

  /**
   * Until its machine waits for a program.
   * @throws {LabError}
   */
  async ready() {
    await this.#worker().ready;
  }

  /**
   * Carry out a lab program. Cancelled, it ends at once.
   * @param {Uint8Array} program
   * @param {Options} [options]
   * @returns {Promise<Done & {wall_s: number}>}
   * @throws {LabError}
   */
  async run(program, { onTime, signal, wallLimit_s = WALL_LIMIT_S, byteLimit = BYTE_LIMIT } = {}) {
    return this.#turn(signal, async () => {
      const start = performance.now();
      const done = await this.#go(program, { onTime, byteLimit, signal, most_ms: wallLimit_s * 1000 });
      if (done.reason === "stopped")
        throw new LabError("limit", `The run was not done within ${wallLimit_s} s.`);
      return { ...done, wall_s: secondsSince(start) };
    });
  }

  /**
   * Have the code compiled that this program uses, while the browser has nothing to do. A run that is wanted goes first.
   * @param {Uint8Array} program
   */
  warm(program) {
    if (this.#warming || this.#closed) return;
    const warming = new AbortController();
    this.#warming = warming;
    idle(async () => {
      try {
        if (this.#wanted || this.#closed || warming.signal.aborted || document.hidden) return;
        await this.#queue(() =>
          this.#go(program, { byteLimit: BYTE_LIMIT, signal: warming.signal, most_ms: WARM_MS }),
        );
      } catch (error) {
        if (!(error instanceof LabError)) throw error; // the run that is wanted later says what is wrong
      } finally {
        if (this.#warming === warming) this.#warming = null;
      }
    });
  }

  /** Memory is given back; whatever runs is cancelled. `openLab` opens another. */
  close() {
    this.#closed = true;
    this.#machine?.close();
    this.#machine = null;
    document.removeEventListener("visibilitychange", this.#seen);
    clearTimeout(this.#hidden);
    open = null;
  }

  /**
   * Wait for one's turn, then do it. Whoever cancels does not wait for anything.
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #turn(signal, work) {
    if (this.#closed || signal?.aborted) throw cancelled();
    this.#wanted++;
    this.#warming?.abort();
    /** @type {() => void} */
    let leave = () => {};
    const left = new Promise((_, reject) => {
      leave = () => reject(cancelled());
      signal?.addEventListener("abort", leave);
    });
    try {
      const done = this.#queue(() => {
        if (this.#closed || signal?.aborted) throw cancelled();
        return work();
      });
      return /** @type {T} */ (await Promise.race([done, left]));
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#wanted--;
    }
  }

  /**
   * @template T
   * @param {() => T | Promise<T>} work
   * @returns {Promise<T>}
   */
  #queue(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * One run of the machine. It ends as "stopped" after `most_ms`, or when the signal says so.
   * @param {Uint8Array} program
   * @param {{onTime?: (seconds: number) => void, byteLimit: number, signal?: AbortSignal, most_ms: number}} watch
   * @returns {Promise<Done>}
   */
  async #go(program, { onTime, byteLimit, signal, most_ms }) {
    const machine = this.#worker();
    await machine.ready;
    if (signal?.aborted) throw cancelled();
    const run = machine.run(program, { onTime: (now) => signal?.aborted || onTime?.(now), byteLimit });
    let stopped = false;
    const stop = () => {
      stopped = true;
      void machine.settle(run);
    };
    const timer = setTimeout(stop, most_ms);
    signal?.addEventListener("abort", stop);
    try {
      return whole(await run.done, byteLimit);
    } catch (error) {
      if (stopped && machine.dead) return { raw: new Uint8Array(), reason: "stopped", text: "" };
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** The machine, a new one if there is none. */
  #worker() {
    if (this.#closed) throw cancelled();
    if (!this.#machine || this.#machine.dead) {
      this.#machine = new MachineWorker();
      this.#machine.open(this.parts.module, this.parts.state);
    }
    return this.#machine;
  }

  #seen = () => {
    clearTimeout(this.#hidden);
    if (document.hidden) this.#hidden = window.setTimeout(() => this.#rest(), HIDDEN_MS);
  };

  /** The machine's memory is given back; the next run makes another, of parts that are kept. */
  #rest() {
    if (this.#wanted) return;
    this.#machine?.close();
    this.#machine = null;
  }
}

/**
 * @param {Done} done
 * @param {number} byteLimit
 * @throws {LabError} if the machine did not come to an end of its own
 */
function whole(done, byteLimit) {
  if (done.reason === "limit")
    throw new LabError(
      "limit",
      `The run wrote more than ${Math.round(byteLimit / 1e6)} MB: fewer probes, or a shorter one.`,
    );
  if (done.reason === "panic" || done.reason === "stuck")
    throw new LabError(
      "failed",
      `The laboratory's kernel stopped (${done.reason}): ${done.text.trim().slice(-400)}`,
    );
  return done;
}

/** @param {number} start of performance.now() */
const secondsSince = (start) => (performance.now() - start) / 1000;

/** @param {() => void} work */
function idle(work) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: 10_000 });
  else setTimeout(work, 1000);
}
