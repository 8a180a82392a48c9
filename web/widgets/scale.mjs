// @ts-check
/* A slider that goes on between recorded values: where a value stands on it, and how a value is written. No page is
 * needed to use this. */

import { parted, rounded, stepsOf } from "../programs/knobs.mjs";
import { powerOf, spelled, unitOf } from "./spelled.mjs";

/** @typedef {import("../programs/knobs.mjs").Typed} Typed */

export class Scale {
  /**
   * @param {readonly string[]} texts
   * @param {Typed} typed
   */
  constructor(texts, typed) {
    this.texts = texts;
    this.typed = typed;
    /** Where a slider stops, in the knob's unit. */
    this.steps = stepsOf(typed);
    /** The places of the recorded values among these. */
    this.recorded = typed.numbers.map((number) => this.steps.indexOf(number));
    const like = texts.map((text) => parted(text));
    /** The gap between number and unit, as the recorded texts have it. */
    this.gap = like.some((one, i) => one?.unit && / /.test(texts[i].trim())) ? " " : "";
  }

  /**
   * Where a text stands, or nearly; null if it is in another unit.
   * @param {string} text
   */
  placeOf(text) {
    const known = this.texts.indexOf(text);
    if (known >= 0) return this.recorded[known];
    const found = parted(text);
    if (!found || found.unit !== this.typed.unit) return null;
    const far = this.steps.map((step) => Math.abs(step - found.number));
    return far.indexOf(Math.min(...far));
  }

  /**
   * The text of the value at a place.
   * @param {number} place
   */
  text(place) {
    const known = this.recorded.indexOf(place);
    return known >= 0 ? this.texts[known] : this.#withUnit(this.steps[place]);
  }

  /**
   * What was typed, as a text of this knob: a bare number gets the unit. Raises RangeError with what is wrong.
   * @param {string} typed
   */
  read(typed) {
    const text = typed.trim();
    if (this.texts.includes(text)) return text;
    const found = parted(text);
    const { unit, low, high, whole } = this.typed;
    if (!found || /^[\d.,]/.test(found.unit))
      throw new RangeError(`write a number, as in ${spelled(this.texts.at(-1) ?? "")}`);
    const power = found.unit ? powerOf(found.unit, unit) : 0;
    if (power === null) throw new RangeError(unit ? `write it in ${unitOf(unit)}` : "write a number alone");
    const exact = found.number * 10 ** power;
    if (exact < low || exact > high) {
      const [least, most] = [low, high].map((end) => spelled(this.#withUnit(end)));
      throw new RangeError(`it goes from ${least} to ${most}`);
    }
    if (whole && !Number.isInteger(exact)) throw new RangeError("write a whole number");
    const number = rounded(exact, whole);
    const known = this.typed.numbers.indexOf(number);
    return known >= 0 ? this.texts[known] : this.#withUnit(number);
  }

  /** @param {number} value */
  #withUnit(value) {
    const isTiny = value !== 0 && Math.abs(value) < 1e-3 && this.texts.some((text) => /\de/i.test(text));
    const number = isTiny ? value.toExponential() : String(value);
    return `${number}${this.typed.unit ? this.gap : ""}${this.typed.unit}`;
  }
}
