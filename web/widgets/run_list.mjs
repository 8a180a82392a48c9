// @ts-check
/* The runs of a picture in words, and how one that was made here compares with the recording. */

import { element } from "./dom.mjs";
import { isSame } from "./points.mjs";
import { swatch } from "./swatch.mjs";

/** @typedef {import("./points.mjs").Point} Point */

/** @param {Point} point */
export function summaryOf({ summary }) {
  return summary.map(([title, text]) => `${title}: ${text}`).join("; ");
}

/**
 * A line of the list.
 * @param {string} words what the run is called
 * @param {Point} point
 * @param {number} age 0: the current one
 */
export function line(words, point, age) {
  const which = element("span", { textContent: age ? "Before: " : "This run: " });
  const where = point.where ? element("small", { textContent: ` (${point.where})` }) : "";
  return element("li", {}, age ? swatch(age) : "", which, `${words}. ${summaryOf(point)}`, where);
}

/**
 * @param {string} where it was made
 * @param {Point} point
 * @param {Point | undefined} recorded with the same knobs
 */
export function compared(where, point, recorded) {
  if (!where || !recorded) return where;
  if (point.isToTheBit) return `${where}: the same as recorded, to the bit`;
  return `${where}: ${isSame(recorded, point) ? "the same figures as recorded" : "other figures than recorded"}`;
}
