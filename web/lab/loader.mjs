// @ts-check
/* A Web Worker that brings the kernel: fetched or kept, its digest looked at, inflated and compiled, while the page goes
 * on. Message to it: {own}, the name of one with more modules, or "". Messages from it: {type: "fetched", got, of} in
 * bytes; {type: "loaded", kernel, module}; {type: "failed", kind, message}. */

import { hasStacks } from "../../labkit/execute/wasm/machine/jspi.mjs";
import { LabError } from "./errors.mjs";
import { Pieces } from "./pieces.mjs";

/** The smaller and faster one needs an engine that has stacks. */
const ORDINARY = hasStacks ? "plain" : "lab";

/** @param {string} name */
async function load(name) {
  const pieces = await Pieces.listed();
  const of = pieces.piece(name).bytes;
  let got = 0;
  const bytes = await pieces.content(name, (more) => {
    got += more;
    postMessage({ type: "fetched", got, of });
  });
  postMessage({ type: "loaded", kernel: pieces.listing.kernel, module: await compiled(bytes) });
  await pieces.tidy();
  postMessage({ type: "tidied" });
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function compiled(bytes) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError)) throw error;
    throw new LabError("unsupported", `This browser is too old for the laboratory: ${error.message}.`);
  }
}

addEventListener("message", ({ data }) =>
  load(data.own || ORDINARY).catch((error) =>
    postMessage({
      type: "failed",
      kind: error instanceof LabError ? error.kind : "failed",
      message: error instanceof Error ? error.message : String(error),
    }),
  ),
);
