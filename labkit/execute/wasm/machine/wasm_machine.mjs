// @ts-check
/* The lab's machine: lab programs in, records out. The kernel and the agent are one module; this is what is around it
 * (kernel/arch/include/asm/lab.h). It is a function of the program and the memory: the same bytes wherever it is run. */

import * as asyncify from "./asyncify.mjs";
import * as jspi from "./jspi.mjs";

const KEPT_TEXT = 1 << 14;
const PAGES_OF_A_MIB = 16;

/**
 * Why the machine does not go on. "end": the agent has ended, as it does where there is no other program. "stuck": all
 * sleep, and nothing will wake them. "panic": the kernel has given up. "aborted": the agent has. "fault": an
 * instruction that cannot be carried out; the text has it.
 * @typedef {"end" | "stuck" | "panic" | "aborted" | "fault"} Reason
 */

/** @type {Reason[]} by enum lab_stop */
const REASONS = ["end", "stuck", "panic", "aborted"];

/**
 * @typedef {object} Surroundings
 * @property {(bytes: Uint8Array) => void} onOutput takes a piece of output; the bytes are another's when it returns
 * @property {(ms: number) => void} onTime told the virtual time, once a virtual second
 * @property {() => boolean} askedToStop whether the program that runs is to end; asked as often
 * @property {() => Uint8Array | null} nextProgram after the first one has ended; null: there is none
 */

/** Ends the kernel's call. */
class Stop extends Error {
  /** @param {Reason} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * What the kernel imports.
 * @param {WebAssembly.Memory} memory
 * @param {Uint8Array} first
 * @param {Surroundings} around
 * @param {(text: string) => void} print
 */
function imports(memory, first, around, print) {
  /** @type {Uint8Array | null} */
  let program = null;
  /** @param {number} at @param {number} size */
  const bytes = (at, size) => new Uint8Array(memory.buffer, at >>> 0, size >>> 0);
  const decoder = new TextDecoder();
  return {
    print: (/** @type {number} */ at, /** @type {number} */ size) => print(decoder.decode(bytes(at, size))),
    stop: (/** @type {number} */ why) => {
      throw new Stop(REASONS[why] ?? "fault");
    },
    size: () => program?.length ?? 0,
    read: (/** @type {number} */ to, /** @type {number} */ size, /** @type {number} */ offset) => {
      const part = program?.subarray(offset >>> 0, (offset >>> 0) + (size >>> 0)) ?? new Uint8Array();
      bytes(to, part.length).set(part);
      return part.length;
    },
    write: (/** @type {number} */ from, /** @type {number} */ size) => around.onOutput(bytes(from, size)),
    gate: () => {
      program = program ? around.nextProgram() : first;
      return program ? 1 : 0;
    },
    clock: (/** @type {number} */ ms) => around.onTime(ms >>> 0),
    asked_to_stop: () => (around.askedToStop() ? 1 : 0),
  };
}

/** There is not so much memory here. */
export class NoMemory extends Error {}

/** @param {number} mib */
function memoryOf(mib) {
  try {
    return new WebAssembly.Memory({ initial: mib * PAGES_OF_A_MIB });
  } catch (error) {
    if (error instanceof RangeError) throw new NoMemory(`no ${mib} MiB of memory: ${error.message}`);
    throw error;
  }
}

/**
 * By whom the tasks get their stacks: asyncify, if it has rewritten the module, else the engine.
 * @param {WebAssembly.Module} module
 */
function stacksOf(module) {
  const isRewritten = WebAssembly.Module.exports(module).some(({ name }) => name === "asyncify_start_unwind");
  return isRewritten ? asyncify : jspi;
}

/**
 * Start a kernel and have it carry out a lab program, and those that follow it.
 * @param {WebAssembly.Module} module
 * @param {number} mib of memory for the kernel; the agent's comes on top of it
 * @param {Uint8Array} program
 * @param {Surroundings} around
 * @returns {Promise<{reason: Reason, text: string}>} text: the last that the kernel and the agent have printed; of a
 *   fault, where it was, and in the last line what
 * @throws {NoMemory}
 */
export async function run(module, mib, program, around) {
  const memory = memoryOf(mib);
  const { Tasks } = stacksOf(module);
  const tasks = new Tasks(memory);
  let text = "";
  const print = (/** @type {string} */ more) => {
    text = (text + more).slice(-KEPT_TEXT);
  };
  const lab = {
    ...imports(memory, program, around, print),
    switch_to: tasks.switchTo,
  };
  const instance = new WebAssembly.Instance(module, { env: { memory }, lab });
  try {
    return await tasks.start(instance.exports);
  } catch (error) {
    if (error instanceof Stop) return { reason: error.reason, text };
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return { reason: "fault", text: `${text}${error.stack}\n${error.message}\n` };
  }
}
