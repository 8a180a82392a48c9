// @ts-check
/* Lab programs that Python has just made. */

import { fromHex } from "./bytes.mjs";
import { askPython } from "./python.mjs";

/** @typedef {import("./plan.mjs").Json} Json */
/** @typedef {import("./plan.mjs").Manifest} Manifest */
/**
 * memory_mb: MiB of the kernel that runs it; until_s: the virtual time at which it ends at the latest, if that is known.
 * @typedef {object} Planned
 * @property {Uint8Array<ArrayBuffer>} program
 * @property {Manifest} manifest
 * @property {"site" | "python"} by
 * @property {number} memory_mb
 * @property {number | null} until_s
 */

/** What labkit says of an experiment that cannot be; the message is for the reader. */
export class PlanError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "PlanError";
  }
}

/**
 * @param {Json} question see book/extensions/live/in_page.py
 * @returns {Promise<Planned[]>}
 * @throws {PlanError}
 */
export async function planned(question) {
  const { plans, error } = await askPython(question);
  if (error !== undefined) throw new PlanError(error);
  return plans.map((/** @type {Json} */ plan) => ({ ...plan, program: fromHex(plan.program), by: "python" }));
}
