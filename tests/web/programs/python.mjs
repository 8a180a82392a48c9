// @ts-check
/* The page's Python in node, from the site's files. Node has no workers of a page: this stands for one. */

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

/** @typedef {any} Json */

/**
 * What answers the page's questions.
 * @param {string} lab the folder `_static/lab` of the site
 * @returns {Promise<(question: Json) => Json>}
 */
export async function python(lab) {
  const file = (/** @type {string} */ name) => new Uint8Array(readFileSync(join(lab, "python", name)));
  const inflated = (/** @type {string} */ name) => new Uint8Array(gunzipSync(file(`${name}.bin`)));
  const room = mkdtempSync(join(tmpdir(), "python-")); // in a page, what has been fetched is handed over
  process.on("exit", () => rmSync(room, { recursive: true, force: true }));
  for (const name of ["pyodide.mjs", "pyodide.asm.mjs", "stdlib.zip"])
    copyFileSync(join(lab, "python", name), join(room, name));
  writeFileSync(join(room, "pyodide.asm.wasm"), inflated("wasm"));
  const { startPython } = await import(pathToFileURL(join(lab, "web/programs/python_engine.mjs")).href);
  const { loadPyodide } = await import(pathToFileURL(join(room, "pyodide.mjs")).href);
  return startPython(loadPyodide, `${room}/`, {
    snapshot: inflated("snapshot"),
    modules: file("modules.zip"),
    core: inflated("core"),
    settings: JSON.parse(readFileSync(join(lab, "python/settings.json"), "utf8")),
  });
}

/** @param {string} lab */
export function workerOf(lab) {
  /** @type {Promise<(question: Json) => Json> | null} */
  let started = null;
  return class {
    /** @type {(event: {data: Json}) => void} */
    onmessage = () => {};

    /** @param {{number: number, question: Json}} message */
    async postMessage({ number, question }) {
      started ??= python(lab);
      const answer = await started;
      this.onmessage({ data: { number, answer: answer(question) } });
    }

    terminate() {
      started = null;
    }
  };
}
