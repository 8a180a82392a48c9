// The experiment as a notebook: its code, what runs it, and the figures that the page shows.

import { asCode, LOOK_CODE, PLAYER_CODE, RUN_CODE } from "./as_code.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

/**
 * All the code, with the run: what is copied.
 * @param {JsonObject} json
 */
export function wholeCode(json) {
  return `${withRun(asCode(json))}\n${RUN_CODE}\n`;
}

/**
 * With `run` among the names.
 * @param {string} code
 */
function withRun(code) {
  return code.replace(/^from labkit import (.*)$/m, (_, names) => `from labkit import ${names}, run`);
}

/**
 * A notebook's file (nbformat 4.5).
 * @param {JsonObject} json
 * @param {string} [from] the page's address, with the experiment
 * @returns {string}
 */
export function notebook(json, from) {
  const where = from ? `Made at [the bench](${from.replaceAll(")", "%29")}). ` : "";
  const about =
    `# An experiment of my own\n\n${where}It needs labkit, the laboratory of the book *Lost Packets*: ` +
    "`make lab` in its folder opens this notebook.";
  const film = "# The film of its packets; it needs `capture=`, which keeps them.";
  const cells = [
    markdown("about", about),
    code("experiment", `%load_ext labkit\n${withRun(asCode(json))}`),
    code("run", RUN_CODE),
    ...LOOK_CODE.map((text, i) => code(`look-${i + 1}`, text)),
    code("film", `${film}\n${PLAYER_CODE}`),
  ];
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  const metadata = { kernelspec, language_info: { name: "python" } };
  return JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1);
}

/** @param {string} id @param {string} source */
function markdown(id, source) {
  return { cell_type: "markdown", id, metadata: {}, source };
}

/** @param {string} id @param {string} source */
function code(id, source) {
  return { cell_type: "code", execution_count: null, id, metadata: {}, outputs: [], source };
}
