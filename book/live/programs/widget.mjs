// @ts-check
/* A widget's experiments, ready to run: as they were compiled with the site, or made for the values that a reader has
 * chosen. */

import { unpacked } from "./bundle.mjs";
import { Plans } from "./plans.mjs";

/** @typedef {import("./bundle.mjs").Stored} Stored */
/** @typedef {import("./bundle.mjs").Knob} Knob */
/** @typedef {import("./plans.mjs").Manifest} Manifest */
/** @typedef {import("./plans.mjs").Packed} Packed */
/** @typedef {Record<string, string | number>} Values */
/**
 * until_s: the virtual time at which it ends at the latest, if that is known.
 * @typedef {object} Planned
 * @property {Uint8Array<ArrayBuffer>} program
 * @property {Manifest} manifest
 * @property {"recorded" | "slots" | "python"} by
 * @property {number | null} until_s
 */

/** A value that a knob does not take; the message is for the reader. */
export class KnobError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "KnobError";
  }
}

export class Widget {
  /** @type {Promise<Packed> | null} */
  #packed = null;

  /** @param {Stored} stored */
  constructor(stored) {
    this.stored = stored;
    this.kind = stored.kind;
    this.refused = stored.refused;
    this.knobs = stored.knobs;
    this.chart = stored.chart;
  }

  /**
   * What is run at these values: an explorer has one experiment, a prediction one or several.
   * @param {Values} values by name of the knob, as typed or one of its texts; a knob that is not named stays as it is
   * @param {number} [seed] of the first experiment; the others' keep their distance from it. Without: as recorded
   * @returns {Promise<Planned[]>}
   * @throws {KnobError}
   */
  async experiments(values, seed) {
    const { plans, points } = await this.#unpacked();
    const chosen = this.knobs.map((knob) => index(knob, values[knob.name]));
    const point = points[chosen.join(",")];
    if ("refused" in point) throw new KnobError(point.refused);
    if (seed !== undefined) throw new KnobError("Another seed is not to be had here.");
    const known = new Plans(plans);
    return point.map((number) => ({ ...known.plan(number), by: "recorded" }));
  }

  /** @returns {Promise<Packed>} */
  #unpacked() {
    const { packed, refused } = this.stored;
    if (packed === null) throw new KnobError(refused ?? "This cannot be run here.");
    this.#packed ??= unpacked(packed);
    return this.#packed;
  }
}

/**
 * Where a knob stands.
 * @param {Knob} knob
 * @param {string | number | undefined} value
 */
function index(knob, value) {
  if (value === undefined) return knob.default;
  const at = knob.texts.indexOf(String(value).trim());
  if (at < 0)
    throw new KnobError(`${knob.label}: ${value} is not on this knob: it has ${knob.texts.join(", ")}`);
  return at;
}
