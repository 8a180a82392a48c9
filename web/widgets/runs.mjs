// @ts-check
/* A planned experiment, run in the page's laboratory, becomes a Result. */

import { LabError } from "../lab/lab.mjs";
import { Result } from "../results/result.mjs";

/** @typedef {import("../lab/lab.mjs").Lab} Lab */
/** @typedef {import("../decode/types.mjs").Manifest} Manifest */
/** @typedef {import("../programs/widget.mjs").Widget} Widget */
/**
 * @typedef {{program: Uint8Array, manifest: Manifest, by: string, memory_mb: number, until_s: number | null}} Planned
 */
const HEADS = 128; // bytes of a packet: what it carries says nothing

/** @typedef {{result: Result, raw: Uint8Array, wall_s: number}} Measured */

/**
 * A widget's experiments at these values. Some are made by Python, which is fetched when it is first needed.
 * @param {Widget} widget
 * @param {Record<string, string>} values
 * @param {number | undefined} seed
 * @param {import("./progress.mjs").Progress} progress
 */
export async function prepared(widget, values, seed, progress) {
  progress.start("Preparing the experiment");
  const { watchPython } = await import("../programs/python.mjs");
  const unwatch = watchPython((got, of) => progress.bytes(got, of));
  try {
    return await widget.experiments(values, seed);
  } finally {
    unwatch();
  }
}

/**
 * @param {Lab} lab
 * @param {Planned} planned
 * @param {import("./progress.mjs").Progress} progress told that it runs, and how far it has come
 * @param {AbortSignal} signal
 * @param {string} [what]
 * @returns {Promise<Measured>}
 * @throws {LabError}
 */
export async function measured(lab, planned, progress, signal, what = "Running") {
  progress.run(what, endOf(planned));
  const onTime = (/** @type {number} */ virtual_s) => {
    if (!signal.aborted) progress.time(virtual_s);
  };
  const { raw, wall_s } = await lab.run(planned, { onTime, signal });
  return { result: decoded(raw, planned), raw, wall_s };
}

/**
 * The virtual time at which a run ends; null if that depends on how fast something is sent: then its flows' time is but a
 * limit.
 * @param {Planned} planned
 */
export function endOf({ until_s, manifest }) {
  const { flows, duration } = /** @type {{flows: {size?: number | null}[], duration?: number | null}} */ (
    /** @type {unknown} */ (manifest.experiment)
  );
  const isKnown = typeof duration === "number" || flows.every(({ size }) => (size ?? null) === null);
  return isKnown ? until_s : null;
}

/**
 * Raises what labkit raises of a run that did not come to its end.
 * @param {Uint8Array} raw
 * @param {Planned} planned
 */
function decoded(raw, { manifest }) {
  const result = new Result(raw, manifest);
  const errors = result.table("errors");
  if (errors.length) {
    const { text, error } = errors.row(0);
    throw new LabError(
      "failed",
      `The kernel refuses a step of this experiment: ${text || "no reason given"} (${error}).`,
    );
  }
  const end = result.recorded.records.endReason;
  if (end === "limit" || end === "size" || end === "stopped") {
    throw new LabError("limit", `The experiment did not end by itself: it met its limit (${end}).`);
  }
  return result;
}

/**
 * The same experiment once more, with the heads of all packets captured at every host: looking at a run changes nothing in it.
 * @param {Lab} lab
 * @param {Result} result
 * @param {string[]} own see compileExperiment
 */
export async function capturedAgain(lab, result, own) {
  const { experiment, layout } = result.recorded;
  const capture = Object.keys(layout.hosts).map((host) => ({ host, interface: null, snap: HEADS }));
  const { compileExperiment } = await import("../programs/programs.mjs"); // its compiler is large
  const planned = await compileExperiment({ ...experiment, capture }, own);
  return decoded((await lab.run(planned)).raw, planned);
}

/**
 * What to say of a run that came to nothing.
 * @param {unknown} error
 */
export function sorry(error) {
  if (error instanceof LabError && error.kind === "cancelled") return "Cancelled.";
  return error instanceof Error ? error.message : String(error);
}
