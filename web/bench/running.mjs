// @ts-check
/* A run of the bench: labkit compiles the experiment in the page, the page's laboratory carries it out. */

import { csv } from "../decode/csv.mjs";
import { openLab } from "../lab/lab.mjs";
import { watchPython } from "../programs/programs.mjs";
import { measured } from "../widgets/runs.mjs";
import { compiled } from "./compiling.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {import("../widgets/progress.mjs").Progress} Progress */
/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {{result: Result, kernel: string, wall_s: number}} Done */

/**
 * @param {object} json of an experiment
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<Done>}
 * @throws {import("./compiling.mjs").PlanError} labkit does not take it; the message is its own
 */
export async function carriedOut(json, progress, signal) {
  const planned = await prepared(json, progress, signal);
  signal.throwIfAborted();
  progress.start("Fetching the laboratory");
  const lab = await openLab({ onFetch: (got, of) => signal.aborted || progress.bytes(got, of) });
  signal.throwIfAborted();
  const { result, wall_s } = await measured(lab, planned, progress, signal);
  return { result, kernel: lab.kernel, wall_s };
}

/**
 * @param {object} json
 * @param {Progress} progress
 * @param {AbortSignal} signal
 */
async function prepared(json, progress, signal) {
  progress.start("labkit reads the experiment");
  const unwatch = watchPython((got, of) => signal.aborted || progress.bytes(got, of));
  try {
    return await compiled(json);
  } finally {
    unwatch();
  }
}

/**
 * The same run with more recorded: looking at it changes nothing in it.
 * @param {Result} result
 * @param {{probes: readonly string[], capture: readonly string[]}} needs
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<Result>}
 */
export async function onceMore(result, needs, progress, signal) {
  const { experiment } = result.recorded;
  const probes = [...new Set([...experiment.probes, ...needs.probes])];
  const capture = needs.capture.map((host) => ({ host }));
  const done = await carriedOut({ ...experiment, probes, capture }, progress, signal);
  if (csv(done.result.table("flows")) !== csv(result.table("flows"))) {
    throw new Error(
      "The run that was recorded more fully is not the same one: this is a fault of the laboratory.",
    );
  }
  return done.result;
}
