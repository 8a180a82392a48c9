// @ts-check
/* The worker that Python runs in. A message {number, question} is answered by {number, answer}; before the first answer,
 * {got, of} tell of bytes that arrive. What cannot be started says {failed}. */

import { LabError } from "../lab/errors.mjs";
import { Pieces } from "../lab/pieces.mjs";
import { startPython } from "./python_engine.mjs";

/** @typedef {any} Json */

const PIECES = ["wasm.bin", "stdlib.zip", "snapshot.bin", "modules.zip", "core.bin", "settings.json"];

/** @type {Promise<(question: Json) => Json> | null} */
let python = null;

globalThis.onmessage = async ({ data: { number, question } }) => {
  try {
    python ??= start();
    const answer = await python;
    postMessage({ number, answer: answer(question) });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    postMessage({
      failed: error instanceof LabError ? message : `Python does not start here: ${name}: ${message}`,
    });
  }
};

async function start() {
  const pieces = await Pieces.listed();
  const of = PIECES.reduce((sum, name) => sum + pieces.piece(`python/${name}`).bytes, 0);
  let got = 0;
  const arrived = PIECES.map(async (name) => {
    const bytes = await pieces.content(`python/${name}`, (more) => {
      got += more;
      postMessage({ got, of });
    });
    return name.endsWith(".bin") ? gunzipped(bytes) : bytes;
  });
  const [wasm, stdlib, snapshot, modules, core, settings] = await Promise.all(arrived);
  const folder = new URL("python/", pieces.base).href;
  serve({
    [`${folder}pyodide.asm.wasm`]: () =>
      new Response(wasm, { headers: { "Content-Type": "application/wasm" } }),
    [`${folder}stdlib.zip`]: () => new Response(stdlib),
  });
  const { loadPyodide } = await import(/* @vite-ignore */ `${folder}pyodide.mjs`);
  const parts = { snapshot, modules, core, settings: JSON.parse(new TextDecoder().decode(settings)) };
  return startPython(loadPyodide, folder, parts);
}

/**
 * Pyodide fetches by itself: it gets what has been looked at.
 * @param {Record<string, () => Response>} known
 */
function serve(known) {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, options) => {
    const address = input instanceof Request ? input.url : String(input);
    return known[address]?.() ?? fetch(input, options);
  };
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function gunzipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
