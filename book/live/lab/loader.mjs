// @ts-check
/* A Web Worker that brings what a machine is made of: fetched or kept, its digests looked at, inflated and compiled,
 * while the page goes on. Messages from it: {type: "fetched", got, of} in bytes; {type: "loaded", kernel, module, state};
 * {type: "failed", kind, message}. */

import { LabError } from "./errors.mjs";
import { Pieces } from "./pieces.mjs";

const NAMES = ["wasm", "state"];

async function load() {
  const pieces = await Pieces.listed();
  const of = NAMES.reduce((sum, name) => sum + pieces.piece(name).bytes, 0);
  let got = 0;
  const onBytes = (/** @type {number} */ bytes) => {
    got += bytes;
    postMessage({ type: "fetched", got, of });
  };
  const [module, state] = await Promise.all([
    pieces.content("wasm", onBytes).then((bytes) => WebAssembly.compile(bytes)),
    pieces.content("state", onBytes),
  ]);
  postMessage({ type: "loaded", kernel: pieces.listing.kernel, module, state }, { transfer: [state.buffer] });
  await pieces.tidy();
  postMessage({ type: "tidied" });
}

load().catch((error) =>
  postMessage({
    type: "failed",
    kind: error instanceof LabError ? error.kind : "failed",
    message: error instanceof Error ? error.message : String(error),
  }),
);
