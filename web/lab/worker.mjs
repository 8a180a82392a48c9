// @ts-check
/* The machine in a Web Worker, one run at a time. Message to it: {module, mib, program, byteLimit}. From it: {seconds} of
 * virtual time, once a virtual second; then {reason, text, raw}, or {failed}. To end it at once, memory and all:
 * terminate(). */

import { NoMemory, run } from "../../labkit/execute/wasm/machine/wasm_machine.mjs";

/** @typedef {import("../../labkit/execute/wasm/machine/wasm_machine.mjs").Reason} Reason */
/** "limit": there is more output than is wanted. "memory": there is not so much of it here. */
/** @typedef {Reason | "limit" | "memory"} Ended */
/** @typedef {{module: WebAssembly.Module, mib: number, program: Uint8Array, byteLimit: number}} Order */
/** @typedef {{reason: Ended, text: string, raw: Uint8Array<ArrayBuffer>}} Done */

class TooMuch extends Error {}

/**
 * @param {Order} order
 * @returns {Promise<Done>}
 */
async function carriedOut({ module, mib, program, byteLimit }) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const pieces = [];
  let size = 0;
  const onOutput = (/** @type {Uint8Array} */ bytes) => {
    size += bytes.length;
    if (size > byteLimit) throw new TooMuch();
    pieces.push(new Uint8Array(bytes));
  };
  try {
    const { reason, text } = await run(module, mib, program, {
      onOutput,
      onTime: (ms) => postMessage({ seconds: ms / 1000 }),
      askedToStop: () => false, // whoever wants it to end ends this worker
      nextProgram: () => null,
    });
    return { reason, text, raw: joined(pieces, size) };
  } catch (error) {
    const none = { text: "", raw: new Uint8Array() };
    if (error instanceof TooMuch) return { reason: "limit", ...none };
    if (error instanceof NoMemory) return { reason: "memory", ...none };
    throw error;
  }
}

/**
 * @param {Uint8Array[]} pieces
 * @param {number} size
 */
function joined(pieces, size) {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

addEventListener("message", async ({ data }) => {
  try {
    const done = await carriedOut(data);
    postMessage(done, { transfer: [done.raw.buffer] });
  } catch (error) {
    postMessage({ failed: error instanceof Error ? error.message : String(error) });
  }
});
