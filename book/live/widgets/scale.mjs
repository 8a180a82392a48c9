// @ts-check
/* A slider that goes on between recorded values: where a value stands on it, and how a value is written. The recorded
 * ones are at its whole numbers, as on the recorded slider. No page is needed to use this. */

/** @typedef {import("../programs/knobs.mjs").Typed} Typed */

const NUMBER = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(.*)$/i;

/**
 * A number and what stands behind it; null if it does not begin with one.
 * @param {string} text
 * @returns {{number: number, unit: string} | null}
 */
export function parted(text) {
  const found = NUMBER.exec(text);
  return found && { number: Number(found[1]), unit: found[2].trim() };
}

export class Scale {
  /**
   * @param {readonly string[]} texts
   * @param {Typed} typed
   */
  constructor(texts, typed) {
    this.texts = texts;
    this.typed = typed;
    this.isLog = typed.scale === "log";
    const like = texts.map((text) => parted(text));
    /** The gap between number and unit, as the recorded texts have it. */
    this.gap = like.some((one, i) => one?.unit && / /.test(texts[i].trim())) ? " " : "";
  }

  /**
   * The value at a place of the slider, 0 to the number of texts less one.
   * @param {number} place
   */
  at(place) {
    const { numbers } = this.typed;
    const i = Math.min(Math.floor(place), numbers.length - 2);
    const [from, to, share] = [numbers[i], numbers[i + 1], place - i];
    if (share === 0) return from;
    if (share === 1) return to;
    if (this.isLog && from * to > 0) return from * (to / from) ** share;
    return from + (to - from) * share;
  }

  /**
   * Where a value stands; beyond the recorded ones at the nearer end.
   * @param {number} value
   */
  place(value) {
    const { numbers } = this.typed;
    for (let i = 0; i + 1 < numbers.length; i++) {
      const [from, to] = [numbers[i], numbers[i + 1]];
      if ((value - from) * (value - to) > 0) continue;
      if (from === to) return i;
      return (
        i +
        (this.isLog && from * to > 0
          ? Math.log(value / from) / Math.log(to / from)
          : (value - from) / (to - from))
      );
    }
    const last = numbers.length - 1;
    return Math.abs(value - numbers[0]) < Math.abs(value - numbers[last]) ? 0 : last;
  }

  /**
   * Where a text stands; null if it is in another unit.
   * @param {string} text
   */
  placeOf(text) {
    const known = this.texts.indexOf(text);
    if (known >= 0) return known;
    const found = parted(text);
    return found && found.unit === this.typed.unit ? this.place(found.number) : null;
  }

  /**
   * The text of the value at a place: a recorded one at whole numbers.
   * @param {number} place
   */
  text(place) {
    if (Number.isInteger(place)) return this.texts[place];
    const i = Math.floor(place);
    const gap = Math.abs(this.typed.numbers[i + 1] - this.typed.numbers[i]);
    return this.#written(this.at(place), gap);
  }

  /**
   * A value as the recorded ones are written: to a hundredth of the gap between its neighbours.
   * @param {number} value
   * @param {number} gap
   */
  #written(value, gap) {
    const decimals = this.typed.whole ? 0 : Math.min(Math.max(Math.ceil(Math.log10(100 / gap)), 0), 20);
    const round = Number(this.isLog && !this.typed.whole ? value.toPrecision(3) : value.toFixed(decimals));
    const known = this.typed.numbers.indexOf(round);
    return known >= 0 ? this.texts[known] : this.#withUnit(round);
  }

  /**
   * What was typed, as a text of this knob: a bare number gets the unit. Raises RangeError with what is wrong.
   * @param {string} typed
   */
  read(typed) {
    const text = typed.trim();
    if (this.texts.includes(text)) return text;
    const found = parted(text);
    if (!found) throw new RangeError(`write a number, as in ${this.texts.at(-1)}`);
    const { unit, low, high, whole } = this.typed;
    if (found.unit && found.unit.toLowerCase() !== unit.toLowerCase()) {
      throw new RangeError(unit ? `write it in ${unit}` : "write a number alone");
    }
    if (found.number < low || found.number > high) {
      throw new RangeError(`it goes from ${this.#withUnit(low)} to ${this.#withUnit(high)}`);
    }
    if (whole && !Number.isInteger(found.number)) throw new RangeError("write a whole number");
    const known = this.typed.numbers.indexOf(found.number);
    if (known >= 0) return this.texts[known];
    return this.#withUnit(found.number);
  }

  /** @param {number} value */
  #withUnit(value) {
    const isTiny = value !== 0 && Math.abs(value) < 1e-3 && this.texts.some((text) => /\de/i.test(text));
    const number = isTiny ? value.toExponential() : String(value);
    return `${number}${this.typed.unit ? this.gap : ""}${this.typed.unit}`;
  }
}
