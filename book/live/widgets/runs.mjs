// @ts-check
/* A planned experiment, run in the page's laboratory, becomes a Result. What would take long is asked first: how long
 * is seen from its beginning. */

import { Result } from "../../../labkit/decode/js/result.mjs";
import { LabError } from "../lab/lab.mjs";
import { Course } from "./estimate.mjs";

/** @typedef {import("../lab/lab.mjs").Lab} Lab */
/** @typedef {import("../../../labkit/decode/js/types.mjs").Manifest} Manifest */
/** @typedef {import("../programs/widget.mjs").Widget} Widget */
/** @typedef {{program: Uint8Array, manifest: Manifest, by: string, until_s: number | null}} Planned */
/**
 * onTime: told of virtual seconds. agree: asked whether a run that will take so many seconds here is wanted; without it
 * every run is.
 * @typedef {{signal: AbortSignal, onTime: (virtual_s: number) => void, agree?: (wall_s: number) => Promise<boolean>}} Watch
 */
/** @typedef {{result: Result, raw: Uint8Array, wall_s: number}} Measured */

/** A run that takes longer than so many seconds is asked first. */
export const LONG_S = 20;
const SEEN_S = 4; // of a run, before it is said how long it will take: at first its code is compiled

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
 * @param {Watch} watch
 * @returns {Promise<Measured>}
 * @throws {LabError}
 */
export async function measured(lab, planned, watch) {
  const until_s = endOf(planned);
  let isAgreed = until_s === null || !watch.agree;
  for (;;) {
    const trial = new Trial(until_s ?? 0, watch, isAgreed);
    try {
      const done = await lab.run(planned.program, { onTime: trial.onTime, signal: trial.signal });
      const result = new Result(done.raw, planned.manifest);
      check(result, done);
      return { result, raw: done.raw, wall_s: done.wall_s };
    } catch (error) {
      if (!trial.isTooLong || watch.signal.aborted) throw error;
      if (!(await watch.agree?.(trial.wall_s))) throw new LabError("cancelled", "Not run.");
      isAgreed = true;
    } finally {
      trial.end();
    }
  }
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

/** One attempt, that is ended if it will take long and nobody has agreed to that. */
class Trial {
  /**
   * @param {number} until_s
   * @param {Watch} watch
   * @param {boolean} isAgreed
   */
  constructor(until_s, watch, isAgreed) {
    this.stop = new AbortController();
    this.signal = this.stop.signal;
    this.isTooLong = false;
    this.wall_s = 0;
    this.course = new Course();
    this.cancel = () => this.stop.abort();
    this.watch = watch;
    watch.signal.addEventListener("abort", this.cancel);
    if (watch.signal.aborted) this.cancel();
    let start = 0;
    this.onTime = (/** @type {number} */ virtual_s) => {
      start ||= performance.now();
      watch.onTime(virtual_s);
      if (isAgreed) return;
      this.course.add(virtual_s, (performance.now() - start) / 1000);
      if (this.course.seen_s < SEEN_S) return;
      isAgreed = true; // it is asked once
      this.wall_s = this.course.wallUntil(until_s);
      this.isTooLong = this.wall_s > LONG_S;
      if (this.isTooLong) this.cancel();
    };
  }

  end() {
    this.watch.signal.removeEventListener("abort", this.cancel);
  }
}

/**
 * Raises what labkit raises of a run that did not come to its end.
 * @param {Result} result
 * @param {{reason: string, text: string}} done
 */
function check(result, { reason, text }) {
  const errors = result.table("errors");
  if (errors.length) {
    const { text, error } = errors.row(0);
    throw new LabError(
      "failed",
      `The kernel refuses a step of this experiment: ${text || "no reason given"} (${error}).`,
    );
  }
  if (reason !== "end")
    throw new LabError("failed", `The laboratory stopped (${reason}): ${text.slice(-300)}`);
  const end = result.recorded.records.endReason;
  if (end === "limit" || end === "size" || end === "stopped") {
    throw new LabError("limit", `The experiment did not end by itself: it met its limit (${end}).`);
  }
}

/**
 * The same experiment once more, with all hosts captured: looking at a run changes nothing in it.
 * @param {Lab} lab
 * @param {Result} result
 */
export async function capturedAgain(lab, result) {
  const { experiment, layout } = result.recorded;
  const capture = Object.keys(layout.hosts).map((host) => ({ host, interface: null }));
  const { compileExperiment } = await import("../programs/programs.mjs"); // its compiler is large
  const planned = await compileExperiment({ ...experiment, capture });
  const done = await lab.run(planned.program);
  const again = new Result(done.raw, planned.manifest);
  check(again, done);
  return again;
}

/**
 * What runs an experiment here, in honest words.
 * @param {Lab} lab
 */
export function where(lab) {
  return `run here, Linux ${lab.kernel}, processor emulated`;
}

/**
 * What to say of a run that came to nothing.
 * @param {unknown} error
 */
export function sorry(error) {
  if (error instanceof LabError && error.kind === "cancelled") return "Cancelled.";
  return error instanceof Error ? error.message : String(error);
}
