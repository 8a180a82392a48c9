// @ts-check
/* A widget's experiments, ready to run: as they were compiled with the site, or made for the values that a reader has
 * chosen. */

import { unpacked } from "./bundle.mjs";
import { chosen, KnobError } from "./knobs.mjs";
import { PlanError, planned } from "./planned.mjs";
import { Plans } from "./plans.mjs";
import { fill, formFor, reseed } from "./slots.mjs";

/** @typedef {import("./bundle.mjs").Stored} Stored */
/** @typedef {import("./knobs.mjs").Chosen} Chosen */
/** @typedef {import("./planned.mjs").Planned} Planned */
/** @typedef {import("./plans.mjs").Packed} Packed */
/** @typedef {Record<string, string | number>} Values */

export class Widget {
  /** @type {Promise<Packed> | null} */
  #packed = null;

  /** @param {Stored} stored */
  constructor(stored) {
    this.stored = stored;
    this.kind = stored.kind;
    this.refused = stored.refused;
    /** Congestion controls of the chapter's that its kernel has. */
    this.own = Object.keys(stored.own);
    this.knobs = stored.knobs;
    this.recipe = stored.recipe;
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
    const filled = this.#filled(packed, at, seed);
    if (filled) return [filled];
    if (!packed.python)
      throw new KnobError("These values cannot be combined here: take some that were recorded.");
    const asked = Object.fromEntries(
      at.map((one, i) => [this.knobs[i].name, one.index ?? String(one.number)]),
    );
    return askedOf({ ...packed.python, own: this.own, values: asked, seed });
  }

  /**
   * @param {Packed} packed
   * @param {Chosen[]} at
   * @param {number | null} seed
   * @returns {Promise<Planned[]>}
   */
  async #recorded({ plans, points, slots }, at, seed) {
    const point = points[at.map(({ index }) => index).join(",")];
    if ("refused" in point) throw new KnobError(point.refused);
    const known = new Plans(plans);
    const found = point.map((number) => ({
      ...known.plan(number),
      by: /** @type {Planned["by"]} */ ("recorded"),
    }));
    const seeds = found.map(({ manifest }) => manifest.experiment.seed);
    if (seed === null || seed === seeds[0]) return found;
    if (point.some((number) => slots.seeded[number] === null))
      return askedOf({
        experiments: found.map(({ manifest }) => manifest.experiment),
        own: this.own,
        seed,
      });
    for (const [i, plan] of found.entries()) {
      reseed(plan, slots.seeds[/** @type {number} */ (slots.seeded[point[i]])], seed + seeds[i] - seeds[0]);
      plan.by = "slots";
    }
    return found;
  }

  /**
   * A program with slots for what was chosen.
   * @param {Packed} packed
   * @param {Chosen[]} at
   * @param {number | null} seed
   * @returns {Planned | null}
   */
  #filled({ plans, slots }, at, seed) {
    const found = formFor(slots.forms, this.knobs, at);
    if (!found) return null;
    const set = slots.seeded[found.form.plan];
    if (seed !== null && set === null) return null;
    const plan = new Plans(plans).plan(found.form.plan);
    fill(plan, found.form, found.numbers);
    if (seed !== null) reseed(plan, slots.seeds[/** @type {number} */ (set)], seed);
    return { ...plan, by: "slots" };
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
 * @param {import("./plan.mjs").Json} question
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
