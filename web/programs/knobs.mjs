// @ts-check
/* What a reader has chosen on a knob: one of its values, or a number that it can take. */

import { columnOf } from "./columns.mjs";

/**
 * Numbers that may be typed into a knob: from low to high, in `unit`; numbers: what its texts stand for; steps: where a
 * slider stops, these among them.
 * @typedef {{unit: string, low: number, high: number, numbers: number[], whole: boolean,
 *   steps?: import("./columns.mjs").Differences | number[]}} Typed
 */
/**
 * @typedef {{name: string, label: string, kind: string, texts: string[], default: number, typed: Typed | null}} Knob
 */
/**
 * index: of one of its values, if it is that; else number: in the knob's unit. step: of the knob; -1: between two.
 * @typedef {{step: number} & ({index: number, number?: undefined} | {index?: undefined, number: number})} Chosen
 */

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/i;
const DIGITS = 6; // of a number with a fraction: no experiment tells more apart

/**
 * A number as a reader may type it, and what stands behind it; null if it does not begin with one.
 * @param {string} text
 * @returns {{number: number, unit: string} | null}
 */
export function parted(text) {
  const match = NUMBER.exec(
    text
      .trim()
      .replaceAll("−", "-")
      .replace(/^([+-]?\d+),(\d+)/, "$1.$2"),
  );
  return match && { number: Number(match[1]), unit: match[2].trim() };
}

/**
 * As exactly as any experiment tells numbers apart.
 * @param {number} number
 * @param {boolean} whole
 */
export function rounded(number, whole) {
  return whole ? number : Number(number.toPrecision(DIGITS));
}

/** A value that a knob does not take; the message is for the reader. */
export class KnobError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "KnobError";
  }
}

/**
 * @param {Knob} knob
 * @param {string | number | undefined} value as typed or one of the knob's texts; undefined: where it starts
 * @returns {Chosen}
 * @throws {KnobError}
 */
export function chosen(knob, value) {
  const index = value === undefined ? knob.default : knob.texts.indexOf(String(value).trim());
  if (index >= 0) return at(knob, index);
  if (!knob.typed)
    throw new KnobError(`${knob.label}: ${value} is not on this knob: it has ${knob.texts.join(", ")}.`);
  const number = read(knob, knob.typed, String(value).trim());
  const same = knob.typed.numbers.indexOf(number);
  return same >= 0 ? at(knob, same) : { number, step: stepsOf(knob.typed).indexOf(number) };
}

/**
 * Where a slider stops, in `unit`.
 * @param {Typed} typed
 */
export function stepsOf({ steps }) {
  return steps ? columnOf(steps) : [];
}

/**
 * At one of its values.
 * @param {Knob} knob
 * @param {number} index
 * @returns {Chosen}
 */
function at({ typed }, index) {
  return { index, step: typed?.steps ? stepsOf(typed).indexOf(typed.numbers[index]) : index };
}

/**
 * @param {Knob} knob
 * @param {Typed} typed
 * @param {string} text
 */
function read(knob, { unit, low, high, whole }, text) {
  const match = parted(text);
  const range = `${low} to ${high} ${unit}`.trim();
  if (!match) throw new KnobError(`${knob.label}: “${text}” is no number: write one from ${range}.`);
  if (match.unit && match.unit.toLowerCase() !== unit.toLowerCase())
    throw new KnobError(`${knob.label}: “${match.unit}” is another unit: write a number from ${range}.`);
  const number = rounded(match.number, whole);
  if (!(number >= low && number <= high))
    throw new KnobError(`${knob.label}: ${text} is out of range: write ${range}.`);
  if (whole && !Number.isInteger(number))
    throw new KnobError(
      `${knob.label}: ${text} is not whole: write a number from ${range} without a fraction.`,
    );
  return number;
}
