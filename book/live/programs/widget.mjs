// @ts-check
/* A widget's experiments, ready to run: as they were compiled with the site, or made for the values that a reader has
 * chosen. */

import { unpacked } from "./bundle.mjs";
import { chosen, KnobError } from "./knobs.mjs";
import { PlanError, planned } from "./planned.mjs";
import { Plans } from "./plans.mjs";

/** @typedef {import("./bundle.mjs").Stored} Stored */
/** @typedef {import("./knobs.mjs").Chosen} Chosen */
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
   * @param {number | null} [seed] of the first experiment; the others' keep their distance from it. Without: as recorded
   * @returns {Promise<Planned[]>}
   * @throws {KnobError}
   */
  async experiments(values, seed = null) {
    if (seed !== null && !(Number.isSafeInteger(seed) && seed >= 0))
      throw new KnobError(`Seed: ${seed} is none: write a whole number from 0 on.`);
    const at = this.knobs.map((knob) => chosen(knob, values[knob.name]));
    const packed = await this.#unpacked();
    if (at.every(({ index }) => index !== undefined)) return this.#recorded(packed, at, seed);
    const asked = Object.fromEntries(
      at.map((one, i) => [this.knobs[i].name, one.index ?? String(one.number)]),
    );
    return askedOf({ ...packed.python, values: asked, seed });
  }

  /**
   * @param {Packed} packed
   * @param {Chosen[]} at
   * @param {number | null} seed
   * @returns {Promise<Planned[]>}
   */
  async #recorded({ plans, points }, at, seed) {
    const point = points[at.map(({ index }) => index).join(",")];
    if ("refused" in point) throw new KnobError(point.refused);
    const known = new Plans(plans);
    const first = known.manifest(point[0]).experiment.seed;
    if (seed === null || seed === first)
      return point.map((number) => ({ ...known.plan(number), by: "recorded" }));
    return askedOf({ experiments: point.map((number) => known.manifest(number).experiment), seed });
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
 * @param {import("./plans.mjs").Json} question
 * @returns {Promise<Planned[]>}
 * @throws {KnobError} with what labkit says
 */
async function askedOf(question) {
  try {
    return await planned(question);
  } catch (error) {
    throw error instanceof PlanError ? new KnobError(error.message) : error;
  }
}
