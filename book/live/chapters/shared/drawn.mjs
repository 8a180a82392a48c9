// A figure of labkit's as a widget takes it: with what is another in its chart than in the default point's.

import { diff } from "../../widgets/differences.mjs";

/** @typedef {import("../../../../labkit/charts/js/figure.mjs").Figure} Figure */
/** @typedef {import("./types.mjs").Context} Context */
/** @typedef {import("./types.mjs").Drawn} Drawn */

const FRAME = new Set(["$schema", "config", "description", "usermeta", "datasets"]); // what no run changes

/**
 * @param {Figure} figure
 * @param {Context} context
 * @returns {Drawn}
 */
export function drawn({ data, description, chart }, context) {
  const old = Object.entries(context.chart ?? {}).filter(([key]) => !FRAME.has(key));
  return { data, description, changes: diff(Object.fromEntries(old), chart) };
}
