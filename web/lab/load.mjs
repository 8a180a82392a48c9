// @ts-check
/* The page's side of loader.mjs: the kernel, brought by a worker that ends when it is done. */

import { LabError } from "./errors.mjs";

/** @typedef {{kernel: string, module: WebAssembly.Module}} Parts */
/** @typedef {(gotBytes: number, ofBytes: number) => void} OnFetch */

const LOADER = new URL("../lab/loader.mjs", import.meta.url);

/**
 * @param {string} own the name of a kernel with more modules; "": the ordinary one
 * @param {OnFetch} onFetch
 * @returns {Promise<Parts>}
 * @throws {LabError}
 */
export function load(own, onFetch) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(LOADER, { type: "module" });
    const fail = (/** @type {LabError} */ error) => {
      worker.terminate();
      reject(error);
    };
    worker.onmessage = ({ data }) => {
      if (data.type === "fetched") onFetch(data.got, data.of);
      else if (data.type === "loaded") resolve({ kernel: data.kernel, module: data.module });
      else if (data.type === "failed") fail(new LabError(data.kind, data.message));
      else worker.terminate(); // tidied
    };
    worker.onerror = ({ message }) =>
      fail(
        new LabError(
          "unsupported",
          `This browser cannot start the laboratory: ${message ?? "it has no workers of modules"}.`,
        ),
      );
    worker.postMessage({ own });
  });
}
