// @ts-check
/* The machine in a Web Worker. Messages to it: {type: "open", wasm, state}, with bytes or a compiled module; {type:
 * "run", id, program, byteLimit}; {type: "stop", id}. From it: {type: "ready"}; {type: "time", id, seconds}; {type:
 * "done", id, raw, reason, text}; {type: "failed", id, message}. To end it at once, memory and all: worker.terminate(). */

import { Machine } from "./machine.mjs";

/** @type {Promise<Machine>} */
let machine;
/** @type {Map<number, AbortController>} */
const running = new Map();

/** @param {{wasm: WebAssembly.Module | BufferSource, state: Uint8Array}} parts */
async function open({ wasm, state }) {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  machine = Machine.open({ wasm: module, state });
  await machine;
  postMessage({ type: "ready" });
}

/** One after the other: there is one machine. */
let last = Promise.resolve();

/** @param {{id: number, program: Uint8Array, byteLimit?: number}} order */
async function run({ id, program, byteLimit }) {
  const stop = new AbortController();
  running.set(id, stop);
  const before = last;
  /** @type {() => void} */
  let ended = () => {};
  last = new Promise((resolve) => (ended = resolve));
  try {
    await before;
    const done = await (await machine).run(program, {
      signal: stop.signal,
      byteLimit,
      onTime: (seconds) => postMessage({ type: "time", id, seconds }),
    });
    postMessage({ type: "done", id, ...done }, { transfer: [done.raw.buffer] });
  } finally {
    running.delete(id);
    ended();
  }
}

addEventListener("message", ({ data }) => {
  const failed = (/** @type {unknown} */ error) =>
    postMessage({
      type: "failed",
      id: data.id,
      message: error instanceof Error ? error.message : String(error),
    });
  if (data.type === "open") open(data).catch(failed);
  else if (data.type === "run") run(data).catch(failed);
  else if (data.type === "stop") running.get(data.id)?.abort();
});
