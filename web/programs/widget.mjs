// @ts-check
/* A widget's experiments, ready to run: as they were compiled with the site, or made for the values that a reader has
 * chosen. */

import { unpacked } from "./bundle.mjs";
import { chosen, KnobError } from "./knobs.mjs";
import { PlanError, planned } from "./planned.mjs";
import { Plans } from "./plans.mjs";
import { reseed } from "./seeds.mjs";
import { fill, tableFor } from "./tables.mjs";

/** @typedef {import("./plan.mjs").Plan & {number: number}} Stored number: of the plan, or of the one it was filled in */
/** @typedef {import("./knobs.mjs").Chosen} Chosen */
/** @typedef {import("./planned.mjs").Planned} Planned */
/** @typedef {import("./bundle.mjs").Packed} Packed */
/** @typedef {Record<string, string | number>} Values */

export class Widget {
  /** @type {Promise<Packed> | null} */
  #packed = null;

  /** @param {import("./bundle.mjs").Stored} stored */
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
    const found = this.#stored(packed, at);
    if (found) return reseeded(packed, found, this.own, seed);
    if (!packed.python)
      throw new KnobError("A number between two steps cannot be run here: take a step of the slider.");
    const asked = Object.fromEntries(
      at.map((one, i) => [this.knobs[i].name, one.index ?? String(one.number)]),
    );
    return askedOf({ ...packed.python, own: this.own, values: asked, seed });
  }

  /**
   * What the site has for these values, from a table or as it was recorded; null if Python has to make it.
   * @param {Packed} packed
   * @param {Chosen[]} at
   * @returns {Stored[] | null}
   */
  #stored({ plans, points, tables, columns }, at) {
    const known = new Plans(plans);
    const steps = at.map(({ step }) => step);
    const table = tableFor(tables, steps);
    if (table) {
      const plan = known.plan(table.plan);
      fill(plan, table, columns, steps);
      return [{ ...plan, number: table.plan }];
    }
    const point = points[at.map(({ index }) => index).join(",")];
    if (!point) return null;
    if ("refused" in point) throw new KnobError(point.refused);
    return point.map((number) => ({ ...known.plan(number), number }));
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
 * With another seed, by Python where it is not known where seeds stand.
 * @param {Packed} packed
 * @param {Stored[]} found
 * @param {string[]} own
 * @param {number | null} seed of the first
 * @returns {Promise<Planned[]>}
 */
async function reseeded({ seeds, seeded }, found, own, seed) {
  const first = found[0].manifest.experiment.seed;
  if (seed !== null && seed !== first) {
    if (found.some(({ number }) => seeded[number] === null))
      return askedOf({ experiments: found.map(({ manifest }) => manifest.experiment), own, seed });
    for (const plan of found) {
      const slots = seeds[/** @type {number} */ (seeded[plan.number])];
      await reseed(plan, slots, seed + plan.manifest.experiment.seed - first);
    }
  }
  return found.map(({ number, ...plan }) => ({ ...plan, by: "site" }));
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
