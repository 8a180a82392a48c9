// @ts-check
/* A slider that goes on between recorded values: where a value stands on it, and how a value is written. The recorded
 * ones are at its whole numbers, as on the recorded slider. No page is needed to use this. */

/**
 * What may be typed into a knob. numbers: those of its texts, in this unit. low, high: what it takes; null: no bound.
 * @typedef {{unit: string, low: number | null, high: number | null, scale: "linear" | "log", numbers: number[]}} Typed
 */

const NUMBER = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(.*)$/i;
const COUNTS = /^(|p|pkts?|packets?|bytes?|flows?|segments?|uploads?)$/;

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
    const { numbers, unit } = typed;
    const [least, largest] = [Math.min(...numbers), Math.max(...numbers)];
    this.isCount = COUNTS.test(unit) && numbers.every(Number.isInteger);
    this.whole = this.isCount || (numbers.every(Number.isInteger) && largest - least >= 50 * numbers.length);
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
    const decimals = this.whole ? 0 : Math.min(Math.max(Math.ceil(Math.log10(100 / gap)), 0), 20);
    const round = Number(this.isLog && !this.whole ? value.toPrecision(3) : value.toFixed(decimals));
    const known = this.typed.numbers.indexOf(round);
    return known >= 0 ? this.texts[known] : `${round}${this.typed.unit ? this.gap : ""}${this.typed.unit}`;
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
    const { unit, low, high } = this.typed;
    if (found.unit !== "" && found.unit !== unit) return text; // another unit: labkit reads it
    if ((low !== null && found.number < low) || (high !== null && found.number > high)) {
      throw new RangeError(`it goes from ${this.#bound(low)} to ${this.#bound(high)}`);
    }
    if (this.isCount && !Number.isInteger(found.number)) throw new RangeError("write a whole number");
    const known = this.typed.numbers.indexOf(found.number);
    if (known >= 0) return this.texts[known];
    return found.unit || !unit ? text : `${text}${this.gap}${unit}`;
  }

  /** @param {number | null} value */
  #bound(value) {
    if (value === null) return "any";
    return `${value}${this.typed.unit ? this.gap : ""}${this.typed.unit}`;
  }
}
