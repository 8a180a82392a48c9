// @ts-check
/* The laboratory of a page: lab programs in, records out. One for a page, whoever asks; runs that are wanted at once have
 * a Web Worker each. */

import { MachineWorker } from "./client.mjs";
import { cancelled, LabError } from "./errors.mjs";
import { load } from "./load.mjs";
import { unsupported } from "./unsupported.mjs";

export { LabError, unsupported };

/** @typedef {import("./load.mjs").Parts} Parts */
/** @typedef {import("./load.mjs").OnFetch} OnFetch */
/** @typedef {import("./client.mjs").Done} Done */
/** @typedef {{program: Uint8Array, memory_mb: number}} Runnable memory_mb: MiB, as labkit gives it on any machine */
/**
 * @typedef {object} Options
 * @property {(seconds: number) => void} [onTime] told now and then of the virtual time since the epoch
 * @property {AbortSignal} [signal] cancels
 * @property {number} [wallLimit_s] the run may take so long
 * @property {number} [byteLimit] and write so many bytes
 */

const WALL_LIMIT_S = 600;
const BYTE_LIMIT = 256 << 20;
const RUNS_OF_A_WORKER = 6; // browsers are slow to collect the memory of machines that are no more

/** By kernel: the ordinary one is "". @type {Map<string, {lab: Promise<Lab>, watching: Set<OnFetch>}>} */
const open = new Map();

/**
 * The page's laboratory. What it is made of is fetched the first time, then kept by the browser.
 * @param {{onFetch?: OnFetch, own?: string}} [options] onFetch: told of the bytes that have come, of how many; own: the
 *   name of a kernel with more modules (book/extensions/own_modules.py), for a browser that gives it stacks
 * @returns {Promise<Lab>}
 * @throws {LabError}
 */
export async function openLab({ onFetch, own = "" } = {}) {
  const reason = unsupported();
  if (reason) throw new LabError("unsupported", reason);
  const { lab, watching } = open.get(own) ?? opened(own);
  if (onFetch) watching.add(onFetch);
  try {
    return await lab;
  } finally {
    if (onFetch) watching.delete(onFetch);
  }
}

/** @param {string} own */
function opened(own) {
  /** @type {Set<OnFetch>} */
  const watching = new Set();
  const parts = load(own, (got, of) => {
    for (const onFetch of watching) onFetch(got, of);
  });
  const forget = () => open.delete(own);
  const lab = parts.then((found) => new Lab(found, forget));
  lab.catch(forget); // the next who asks tries again
  open.set(own, { lab, watching });
  return { lab, watching };
}

export class Lab {
  /** Of the next run: its scripts are here. @type {MachineWorker | null} */
  #idle = new MachineWorker();
  /** @type {Set<MachineWorker>} */
  #running = new Set();
  #closed = false;

  /**
   * @param {Parts} parts
   * @param {() => void} onClose
   */
  constructor({ kernel, module }, onClose) {
    /** Its version, as "6.12.117". */
    this.kernel = kernel;
    this.module = module;
    this.onClose = onClose;
    document.addEventListener("visibilitychange", this.#left);
  }

  /** A page that nobody looks at keeps no machine; the next run makes one. */
  #left = () => {
    if (!document.hidden) return;
    this.#idle?.end(cancelled());
    this.#idle = null;
  };

  /**
   * Carry out a lab program. Cancelled, it ends at once.
   * @param {Runnable} runnable
   * @param {Options} [options]
   * @returns {Promise<Done & {wall_s: number}>}
   * @throws {LabError}
   */
  async run(
    { program, memory_mb: mib },
    { onTime = () => {}, signal, wallLimit_s = WALL_LIMIT_S, byteLimit = BYTE_LIMIT } = {},
  ) {
    if (this.#closed || signal?.aborted) throw cancelled();
    const start = performance.now();
    const machine = this.#idle ?? new MachineWorker();
    machine.runs++;
    this.#idle = machine.runs === RUNS_OF_A_WORKER ? new MachineWorker() : null;
    this.#running.add(machine);
    const cancel = () => machine.end(cancelled());
    const late = () => machine.end(new LabError("limit", `The run was not done within ${wallLimit_s} s.`));
    const timer = setTimeout(late, wallLimit_s * 1000);
    signal?.addEventListener("abort", cancel);
    try {
      const done = await machine.run({ module: this.module, mib, program, byteLimit }, onTime);
      check(done, byteLimit, mib);
      return { ...done, wall_s: (performance.now() - start) / 1000 };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      this.#running.delete(machine);
      this.#rest(machine);
    }
  }

  /**
   * One machine waits for the next run: this one unless there is another, which takes its place.
   * @param {MachineWorker} machine
   */
  #rest(machine) {
    if (this.#closed || this.#idle) machine.end(cancelled());
    else this.#idle = machine.dead ? new MachineWorker() : machine;
  }

  /** Memory is given back; whatever runs is cancelled. `openLab` opens another. */
  close() {
    this.#closed = true;
    for (const machine of this.#running) machine.end(cancelled());
    this.#idle?.end(cancelled());
    document.removeEventListener("visibilitychange", this.#left);
    this.onClose();
  }
}

/**
 * @param {Done} done
 * @param {number} byteLimit
 * @param {number} mib
 * @throws {LabError} if the machine did not come to an end of its own
 */
function check({ reason, text }, byteLimit, mib) {
  if (reason === "end") return;
  if (reason === "limit")
    throw new LabError(
      "limit",
      `The run wrote more than ${Math.round(byteLimit / 1e6)} MB: fewer probes, or a shorter one.`,
    );
  if (reason === "memory")
    throw new LabError(
      "limit",
      `This browser does not give the laboratory the ${mib} MiB of memory that this run takes: fewer flows or hosts, ` +
        "or fewer probes and captures, take less.",
    );
  const said = reason === "fault" ? text.trim().split("\n").at(-1) : text.trim().slice(-400);
  throw new LabError("failed", `The laboratory's kernel stopped (${reason}): ${said}`);
}
