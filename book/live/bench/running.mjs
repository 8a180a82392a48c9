// @ts-check
/* A run of the bench: labkit compiles the experiment in the page, the page's laboratory carries it out. */

import { openLab } from "../lab/lab.mjs";
import { compileExperiment } from "../programs/programs.mjs";
import { measured } from "../widgets/runs.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {import("../widgets/progress.mjs").Progress} Progress */
/** @typedef {import("../../../labkit/decode/js/result.mjs").Result} Result */

/** labkit did not take the experiment; the message is its own. */
export class RefusedError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RefusedError";
  }
}

/**
 * @param {JsonObject} json
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<{result: Result, took: string}>}
 * @throws {RefusedError}
 */
export async function carriedOut(json, progress, signal) {
  const planned = await compiled(json, progress);
  signal.throwIfAborted();
  progress.start("Fetching the laboratory");
  const lab = await openLab({ onFetch: (got, of) => signal.aborted || progress.bytes(got, of) });
  signal.throwIfAborted();
  progress.start("Running", planned.until_s);
  const { result, wall_s } = await measured(lab, planned, {
    signal,
    onTime: (virtual_s) => {
      if (!signal.aborted) progress.time(virtual_s);
    },
    agree: async (seconds) => {
      const yes = await progress.ask(seconds);
      if (yes) progress.start("Running", planned.until_s);
      return yes;
    },
  });
  return { result, took: `Linux ${lab.kernel} on an emulated processor took ${wall_s.toFixed(1)} s for it.` };
}

/**
 * @param {JsonObject} json
 * @param {Progress} progress
 */
async function compiled(json, progress) {
  progress.start("labkit reads the experiment (the first time, its Python is fetched: some 9 MB)");
  try {
    return await compileExperiment(json);
  } catch (error) {
    throw new RefusedError(error instanceof Error ? error.message : String(error));
  }
}
