// @ts-check
/* The lab's machine: lab programs in, records out. Nothing above this file needs to know what it is made of. It is a
 * function of the saved state and the program: the same bytes wherever and however often it is run. */

import { layOut, MEMORY } from "./boot.mjs";
import { Call, CONSOLE_PORT, Labtab, STRUCT_PORT } from "./hypercalls.mjs";
import { read, restore, save } from "./state.mjs";
import { Emulator } from "./v86.mjs";

const KEPT_TEXT = 1 << 14;
const UNBREATHED = 4_000_000; // instructions, some 50 ms: so long nobody can stop it

/**
 * Why the machine does not go on. "end": the agent has ended. "gate": it waits for another program. "stuck": all sleep,
 * and nothing will wake them. "panic": the kernel has given up. "stopped": by the caller. "limit": there is more output than is wanted.
 * @typedef {"end" | "gate" | "stuck" | "panic" | "stopped" | "limit"} Reason
 */

/**
 * @typedef {object} Watch
 * @property {(seconds: number) => void} [onTime] called now and then with the virtual time since the epoch
 * @property {(bytes: Uint8Array) => void} [onOutput] called with each piece of output; `raw` is empty then
 * @property {AbortSignal} [signal] ends the run
 * @property {number} [byteLimit] more output ends the run
 */

/** @type {Partial<Record<number, Reason>>} */
const REASONS = { [Call.GATE]: "gate", [Call.OFF]: "end", [Call.STUCK]: "stuck", [Call.PANIC]: "panic" };

export class Machine {
  /**
   * @param {WebAssembly.Module} module
   * @param {number} memory
   */
  constructor(module, memory) {
    /** The last that the kernel and the agent have printed. */
    this.text = "";
    /** @type {import("./state.mjs").State | null} */
    this.state = null;
    this.struct = 0;
    this.epoch = 0;
    this.emulator = new Emulator(module, memory, {
      write8: (port, value) => {
        if (port === CONSOLE_PORT) this.text = (this.text + String.fromCharCode(value)).slice(-KEPT_TEXT);
      },
      write32: (port, value) => {
        if (port === STRUCT_PORT) this.struct = value >>> 0;
      },
    });
  }

  /**
   * A machine that waits for a program.
   * @param {{wasm: WebAssembly.Module, state: Uint8Array}} parts v86.wasm; what `save` made, not compressed
   * @throws {Error} if the state is damaged
   */
  static async open({ wasm, state }) {
    const kept = read(state);
    const machine = new Machine(wasm, kept.memory);
    machine.state = kept;
    return machine;
  }

  /**
   * A machine that has just started its kernel, and what it is then, to be opened later.
   * @param {{wasm: WebAssembly.Module, kernel: Uint8Array, agent: Uint8Array}} parts
   * @throws {Error} with what the kernel printed, if it does not come to its gate
   */
  static async boot({ wasm, kernel, agent }) {
    const machine = new Machine(wasm, MEMORY);
    layOut(machine.emulator.ram, kernel, agent);
    const { reason } = await machine.#go(new Uint8Array(), {});
    if (reason !== "gate") throw new Error(`the kernel does not start (${reason}):\n${machine.text}`);
    const state = save(machine.emulator, machine.struct);
    machine.state = read(state);
    return { machine, state };
  }

  /**
   * Carry out a lab program, from the saved state on.
   * @param {Uint8Array} program
   * @param {Watch} [watch]
   */
  async run(program, watch = {}) {
    if (!this.state) throw new Error("this machine has no state to start from");
    restore(this.emulator, this.state);
    this.struct = this.state.struct;
    this.text = "";
    this.epoch = Math.floor(this.#clock) + 2; // as the agent chooses it: choose_start() of agent/src/run.c
    return this.#go(program, watch);
  }

  /**
   * Carry out another program after one that said that more would follow ("gate").
   * @param {Uint8Array} program
   * @param {Watch} [watch]
   */
  async goOn(program, watch = {}) {
    return this.#go(program, watch);
  }

  /** Virtual time since the epoch, in seconds: below 0 while the network is set up. */
  get now() {
    return this.#clock - this.epoch;
  }

  /** Since the machine's start. */
  get #clock() {
    return this.struct ? new Labtab(this.emulator.ram, this.struct).now : 0;
  }

  /**
   * @param {Uint8Array} program
   * @param {Watch} watch
   * @returns {Promise<{raw: Uint8Array<ArrayBuffer>, reason: Reason, text: string}>}
   */
  async #go(program, { onTime, onOutput, signal, byteLimit = Infinity }) {
    /** @type {Uint8Array[]} */
    const pieces = [];
    const take = onOutput ?? ((/** @type {Uint8Array} */ piece) => void pieces.push(piece));
    let bytes = 0;
    const put = (/** @type {Uint8Array} */ piece) => {
      bytes += piece.length;
      take(piece);
    };
    /** @type {Reason | undefined} */
    let reason;
    let breathed = this.emulator.executed;
    if (this.struct) this.#answerGate();
    while (!reason) {
      const halted = this.emulator.run();
      if (!halted || this.emulator.executed - breathed > UNBREATHED) {
        breathed = this.emulator.executed;
        if (onTime) onTime(this.now);
        await breath();
        if (signal?.aborted) reason = "stopped";
      }
      if (halted) reason ??= this.#serve(program, put) ?? (bytes > byteLimit ? "limit" : undefined);
    }
    if (onTime) onTime(this.now);
    return { raw: joined(pieces), reason, text: this.text };
  }

  /** There is a program. */
  #answerGate() {
    const labtab = new Labtab(this.emulator.ram, this.struct);
    if (labtab.call === Call.GATE) labtab.answer(0);
  }

  /**
   * Do what the kernel wants. Returns why the machine stops, if it does.
   * @param {Uint8Array} program
   * @param {(piece: Uint8Array) => void} put
   * @returns {Reason | undefined}
   */
  #serve(program, put) {
    if (!this.struct) return "stuck";
    const labtab = new Labtab(this.emulator.ram, this.struct);
    switch (labtab.call) {
      case Call.SIZE:
        labtab.answer(program.length);
        return undefined;
      case Call.READ:
        labtab.answer(labtab.read(program));
        return undefined;
      case Call.WRITE:
        put(labtab.written());
        labtab.answer(0);
        return undefined;
      default:
        return REASONS[labtab.call] ?? "stuck";
    }
  }
}

/** Lets the event loop do what it has to: a message that cancels, say. */
function breath() {
  return new Promise((go) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      go(undefined);
    };
    port2.postMessage(null);
  });
}

/** @param {Uint8Array[]} pieces */
function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
