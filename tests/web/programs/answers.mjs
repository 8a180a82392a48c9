// @ts-check
/* Answers questions about a site's widgets, one JSON value a line, as a page would get the answers. Argument: the
 * folder `_static/lab` of the site, with its own scripts. */

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { workerOf } from "./python.mjs";

const lab = process.argv[2];
// Node fetches no files, and a page no others.
globalThis.fetch = async (address) => {
  try {
    return new Response(await readFile(new URL(String(address))));
  } catch {
    return new Response(null, { status: 404 });
  }
};
globalThis.Worker = /** @type {any} */ (workerOf(lab));
const { compileExperiment, widgetOf } = await import(pathToFileURL(`${lab}/web/programs/programs.mjs`).href);

/** @param {any} asked */
async function answer({ chapter, name, values, seed, experiment, own }) {
  if (experiment) return written(await compileExperiment(experiment, own));
  const widget = await widgetOf(chapter, name);
  if (!widget) return null;
  if (!values) {
    const { kind, refused, own, knobs, chart } = widget;
    return { kind, refused, own, knobs, chart };
  }
  const planned = await widget.experiments(values, seed);
  return planned.map(written);
}

/** @param {any} one */
function written(one) {
  return { ...one, program: Buffer.from(one.program).toString("hex") };
}

for await (const line of createInterface({ input: process.stdin })) {
  /** @type {any} */
  let said;
  try {
    said = { is: await answer(JSON.parse(line)) };
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    said = { error: `${name}: ${message}` };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
