// @ts-check
/* Lab programs that Python has just made. */

import { fromHex } from "./bytes.mjs";
import { askPython } from "./python.mjs";

/** @typedef {any} Json */
/** @typedef {import("./widget.mjs").Planned} Planned */

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
