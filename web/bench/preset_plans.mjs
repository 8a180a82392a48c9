// @ts-check
/* The lab programs of the experiments to begin with, which were compiled when the site was built (live/presets.py). */

import { Plans } from "../programs/plans.mjs";
import { canonical } from "./experiment.mjs";

/** @typedef {import("../programs/planned.mjs").Planned} Planned */
/** @typedef {{experiments: import("./experiment.mjs").JsonObject[], plans: import("../programs/plans.mjs").Written[]}} Held */

const ADDRESS = new URL("../../presets.json", import.meta.url);

/** @type {Promise<Held> | null} */
let held = null;

/**
 * Null if it is none of them, or is changed in any way.
 * @param {object} json
 * @returns {Promise<Planned | null>}
 */
export async function presetPlan(json) {
  held ??= fetched();
  const { experiments, plans } = await held;
  const asked = canonical(/** @type {import("./experiment.mjs").JsonObject} */ (json));
  const number = experiments.findIndex((one) => canonical(one) === asked);
  return number < 0 ? null : { ...new Plans(plans).plan(number), by: "site" };
}

/** @returns {Promise<Held>} */
async function fetched() {
  const response = await fetch(ADDRESS);
  if (!response.ok) throw new Error(`the site lacks ${ADDRESS.pathname} (${response.status})`);
  return await response.json();
}
