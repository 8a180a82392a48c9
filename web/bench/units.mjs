// Numbers in SI as texts with units and back, exactly: 10000000 is "10mbit", 0.01 s is "10ms". What the units are:
// labkit/units.py.

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
