// @ts-check
/* labkit itself, in Python: describes and compiles experiments. Starts from a picture of the memory of a Python that had
 * loaded its library (book/extensions/live/python_files.py). */

/** @typedef {any} Json */
/**
 * What it is made of, not compressed; settings: of Pyodide, and which modules the page's kernel has.
 * @typedef {{snapshot: Uint8Array, modules: Uint8Array, core: Uint8Array, settings: Json}} Parts
 */

const SITE = "/site";
const CORE = `${SITE}/pydantic_core/_pydantic_core.so`;
const START = `
import importlib, sys
sys.path.insert(0, "${SITE}")
importlib.invalidate_caches()
from live.in_page import answer
answer
`;

/**
 * @param {(settings: Json) => Promise<Json>} loadPyodide
 * @param {string} folder where pyodide.asm.mjs, pyodide.asm.wasm and stdlib.zip are
 * @param {Parts} parts
 * @returns {Promise<(question: Json) => Json>} see book/extensions/live/in_page.py
 */
export async function startPython(loadPyodide, folder, { snapshot, modules, core, settings }) {
  const python = await loadPyodide({
    ...settings.pyodide,
    indexURL: folder,
    stdLibURL: `${folder}stdlib.zip`,
    _loadSnapshot: snapshot,
  });
  python.unpackArchive(modules, "zip", { extractDir: SITE });
  python.FS.writeFile(CORE, core);
  const answer = python.runPython(START);
  return (question) => JSON.parse(answer(JSON.stringify({ built_in: settings.built_in, ...question })));
}
