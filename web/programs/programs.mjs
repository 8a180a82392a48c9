// @ts-check
/* What the pages run: the experiments of a chapter's widgets, and those that a reader has made, as lab programs. */

import { widgetsOf } from "./bundle.mjs";
import { KnobError } from "./knobs.mjs";
import { PlanError, planned } from "./planned.mjs";
import { watchPython } from "./python.mjs";
import { Widget } from "./widget.mjs";

export { KnobError, PlanError, watchPython };

/** @typedef {import("./planned.mjs").Planned} Planned */
/** @typedef {import("./knobs.mjs").Knob} Knob */

/** @type {Map<string, Widget>} */
const known = new Map();

/**
 * A widget of a chapter; null if the chapter has none of that name.
 * @param {string} chapter its stem: "01-a-network-in-a-notebook"
 * @param {string} name
 * @returns {Promise<Widget | null>}
 */
export async function widgetOf(chapter, name) {
  const stored = (await widgetsOf(chapter))[name];
  if (!stored) return null;
  const key = `${chapter}/${name}`;
  const found = known.get(key) ?? new Widget(stored);
  known.set(key, found);
  return found;
}

/**
 * An experiment, compiled by labkit itself; Python is fetched when it is first needed.
 * @param {object} experiment as labkit's JSON
 * @param {string[]} [own] congestion controls that its kernel has besides
 * @returns {Promise<Planned>}
 * @throws {PlanError} with labkit's own message
 */
export async function compileExperiment(experiment, own = []) {
  const [made] = await planned({ experiments: [experiment], own });
  return made;
}
