// @ts-check
/* What a reader said against what was measured, in words. */

import { number } from "../charts/words.mjs";
import { spelled } from "./spelled.mjs";

/** @typedef {import("./points.mjs").Json} Json */

/**
 * Upper bound of measured / said, and what to say of it: halfway between two phrases, as ratios go.
 * @type {readonly [number, string][]}
 */
const RATIOS = [
  [1 / 75, "a hundredth of it, or less"],
  [1 / 30, "fifty times less"],
  [1 / 14, "twenty times less"],
  [1 / 7, "ten times less"],
  [1 / 4.5, "a fifth of it"],
  [1 / 3.5, "a quarter of it"],
  [1 / 2.5, "a third of it"],
  [1 / 1.75, "half of it"],
  [1 / 1.25, "two thirds of it"],
  [1 / 1.05, "a little less"],
  [1.05, "right, within 5 %"],
  [1.25, "a little more"],
  [1.75, "half as much again"],
  [2.5, "twice as much"],
  [3.5, "three times as much"],
  [4.5, "four times as much"],
  [7, "five times as much"],
  [14, "ten times as much"],
  [30, "twenty times as much"],
  [75, "fifty times as much"],
  [Infinity, "a hundred times as much, or more"],
];
const NEAR = ["right", "exactly", "a little"];

/**
 * "9.5 Mbit/s"
 * @param {number} value
 * @param {string} unit
 */
export function quantity(value, unit) {
  return `${number(value)} ${unit}`.trim();
}

/**
 * How far the measured value is from what was said.
 * @param {number} said
 * @param {number} measured
 * @param {string} unit
 */
export function difference(said, measured, unit) {
  if (said === measured) return "exactly right";
  if (said * measured <= 0) {
    return `${quantity(Math.abs(measured - said), unit)} ${measured > said ? "more" : "less"}`;
  }
  const ratio = measured / said;
  return RATIOS.find(([bound]) => ratio < bound)?.[1] ?? "";
}

/**
 * One sentence on a value.
 * @param {number} said
 * @param {number} measured
 * @param {string} unit
 */
export function ofValue(said, measured, unit) {
  const how = difference(said, measured, unit);
  return `You said ${quantity(said, unit)}; measured ${quantity(measured, unit)}: ${how}.`;
}

/**
 * Where it was farthest off, and how often it was near: within a quarter, as RATIOS has it.
 * @param {Json} asked
 * @param {number[]} said
 * @param {number[]} measured
 */
export function ofCurve({ x, x_title, unit }, said, measured) {
  const near = said.filter((y, i) => NEAR.some((word) => difference(y, measured[i], unit).startsWith(word)));
  const gaps = said.map((y, i) => Math.abs(y - measured[i]));
  const off = gaps.indexOf(Math.max(...gaps));
  const farthest = ofValue(said[off], measured[off], unit).replace(/^You /, "you ");
  return (
    `Near at ${near.length} of ${x.length} points. ` +
    `Farthest off where ${x_title || "x"} is ${x[off]}: ${farthest}`
  );
}

/**
 * One sentence on a choice.
 * @param {string} said
 * @param {string} measured
 */
export function ofChoice(said, measured) {
  return said === measured ? `You said ${said}, and so it is.` : `You said ${said}; measured: ${measured}.`;
}

/**
 * The verdict on any kind of answer.
 * @param {Json} asked
 * @param {any} said
 * @param {any} measured
 */
export function verdict(asked, said, measured) {
  if (asked.kind === "value") return ofValue(said, measured, asked.unit);
  if (asked.kind === "curve") return ofCurve(asked, said, measured);
  return ofChoice(spelled(asked.choices[said][0]), spelled(asked.choices[measured][0]));
}

/**
 * What is measured, as a text.
 * @param {Json} asked
 * @param {any} measured
 */
export function measuredText({ kind, choices, x, unit }, measured) {
  if (kind === "choice") return spelled(choices[measured][0]);
  const texts = [measured].flat().map((one) => quantity(one, unit));
  return texts.map((text, i) => (kind === "curve" ? `${x[i]}: ${text}` : text)).join("; ");
}
