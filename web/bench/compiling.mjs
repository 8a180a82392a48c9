// @ts-check
/* Experiments become lab programs: the site has those of the experiments to begin with, labkit makes the others. A press
 * of Run finds what was made while the reader still looked at the form. */

import { compileExperiment, PlanError } from "../programs/programs.mjs";
import { canonical } from "./experiment.mjs";
import { presetPlan } from "./preset_plans.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {import("../programs/planned.mjs").Planned} Planned */

export { PlanError };

/** @type {{asked: string, plan: Promise<Planned>} | null} */
let latest = null;

/**
 * @param {object} json of an experiment
 * @returns {Promise<Planned>}
 * @throws {PlanError} labkit does not take it; the message is its own
 */
export function compiled(json) {
  const asked = canonical(/** @type {JsonObject} */ (json));
  if (latest?.asked === asked) return latest.plan;
  const plan = presetPlan(json).then((ready) => ready ?? compileExperiment(json));
  const mine = { asked, plan };
  latest = mine;
  plan.catch((error) => {
    if (!(error instanceof PlanError) && latest === mine) latest = null; // not the experiment's fault: asked again
  });
  return plan;
}
