// Numbers in SI as texts with units and back, exactly: 10000000 is "10mbit", 0.01 s is "10ms". And what is wrong with a
// text that is none. What the units are, and what is said: labkit/units.py.

import { QUANTITIES, SAYS } from "./facts.mjs";

/** @typedef {"rate" | "time" | "share" | "size" | "packets" | "whole" | "wholes" | "text" | "choice" | "flag"} Quantity */

/** @type {Readonly<Record<string, readonly (readonly [string, number])[]>>} largest first; powers of ten */
const UNITS = {
  rate: [
    ["gbit", 9],
    ["mbit", 6],
    ["kbit", 3],
    ["bit", 0],
  ],
  time: [
    ["s", 0],
    ["ms", -3],
    ["us", -6],
    ["ns", -9],
  ],
  share: [["%", -2]],
  size: [
    ["GB", 9],
    ["MB", 6],
    ["kB", 3],
    ["B", 0],
  ],
};

/**
 * A number without an exponent, its point moved: shifted(0.0137, 2) is "1.37".
 * @param {number} value finite, 0 or more
 * @param {number} places to the right
 */
export function shifted(value, places) {
  const [mantissa, exponent = "0"] = String(value).split("e");
  const [whole, part = ""] = mantissa.split(".");
  const digits = whole + part;
  const point = whole.length + Number(exponent) + places;
  const padded =
    point <= 0 ? `${"0".repeat(1 - point)}${digits}` : digits.padEnd(Math.max(point, digits.length), "0");
  const at = Math.max(point, 1);
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const after = padded.slice(at).replace(/0+$/, "");
  return after ? `${before}.${after}` : before;
}

/**
 * What one would write for a value of an experiment's JSON. A text stays as it is.
 * @param {unknown} value
 * @param {Quantity} quantity
 * @returns {string}
 */
export function textOf(value, quantity) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => textOf(one, "whole")).join(", ");
  if (typeof value !== "number" || !(value >= 0) || !Number.isFinite(value)) return String(value);
  const units = UNITS[quantity];
  if (units === undefined) return shifted(value, 0);
  if (value === 0) return quantity === "share" ? "0%" : "0";
  const fits = units.find(([, power]) => value >= 10 ** power) ?? units[units.length - 1];
  return shifted(value, -fits[1]) + fits[0];
}

const WHOLE = /^-?\d{1,15}$/;
const NUMBER = /^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/**
 * What stands in the JSON for what was typed: numbers where labkit wants numbers, else the text, which labkit reads
 * and, if it is wrong, says what would be right.
 * @param {string} text
 * @param {Quantity} quantity
 * @returns {unknown}
 */
export function typedValue(text, quantity) {
  const typed = text.trim();
  switch (quantity) {
    case "wholes":
      return typed.split(/[\s,]+/).map((one) => typedValue(one, "whole"));
    case "whole":
      return WHOLE.test(typed) ? Number(typed) : typed;
    case "packets":
    case "share":
      return NUMBER.test(typed) ? Number(typed) : typed;
    case "flag":
      return typed === "yes";
    case "text":
    case "choice":
      return typed;
    default:
      return typed === "0" ? 0 : typed;
  }
}

const PARTS = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3}(?![\w.]))?)\s*(.*)$/s;

/**
 * What is wrong with a text in a field, with what to write instead; "" if nothing is, as far as one field can tell.
 * Which numbers an experiment takes, labkit says.
 * @param {string} text
 * @param {Quantity} quantity
 * @param {string} [hint] an example for this field
 * @returns {string}
 */
export function faultOf(text, quantity, hint) {
  const typed = text.trim();
  if (typed === "") return "";
  if (quantity === "whole" && !WHOLE.test(typed)) return `not a whole number: write ${hint}`;
  if (quantity === "wholes" && !typed.split(/[\s,]+/).every((one) => WHOLE.test(one)))
    return `not a list of whole numbers: write ${hint}`;
  const known = QUANTITIES[quantity];
  if (known === undefined) return "";
  const { what, units, largest, isCount } = known;
  const say = (/** @type {string} */ how, /** @type {Record<string, string>} */ parts = {}) => {
    const all = { what, example: hint ?? known.text, largest, ...parts };
    return Object.entries(all).reduce(
      (said, [name, part]) => said.replace(`{${name}}`, () => part),
      SAYS[how],
    );
  };
  const [, digits, unit] = PARTS.exec(typed) ?? [];
  if (digits === undefined) return say("kind");
  const isNumber = unit === "" && typeof typedValue(typed, quantity) === "number";
  if (unit === "" && !isNumber) return say("bare", { number: digits });
  const spelt = known.anyCase ? unit.toLowerCase() : unit;
  const factor = isNumber ? 1 : Object.hasOwn(units, spelt) ? units[spelt] : undefined;
  if (factor === undefined) return say("unit", { unit, units: Object.keys(units).join(", ") });
  const number = Number(digits) * factor;
  if (number < 0) return say("negative");
  if (number > Number(largest)) return say("largest");
  if (isCount && number < 1) return say("least");
  if (isCount && Math.abs(number - Math.round(number)) > 1e-9 * number) return say("whole");
  return "";
}
