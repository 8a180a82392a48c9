// @ts-check
/* A knob's value as the text has it: "5%" is 5 %, "15ms" is 15 ms, "2mbit" is 2 Mbit/s. */

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-zµ%][\w/]*)$/i;
const GAP = "\u00a0"; // a number and its unit stay in one line

/** How labkit's short units are written out. @type {Readonly<Record<string, string>>} */
const UNITS = { p: "packets", us: "µs", bit: "bit/s", kbit: "kbit/s", mbit: "Mbit/s", gbit: "Gbit/s" };
const ONE = /^(packet|byte|segment|frame|flow|row|command)s$/;

/** @typedef {import("../programs/knobs.mjs").Knob} Knob */

/** @param {string} unit as labkit takes it */
export function unitOf(unit) {
  return UNITS[unit.toLowerCase()] ?? unit;
}

/**
 * Whether what was typed behind a number is this unit, short or written out.
 * @param {string} typed
 * @param {string} unit
 */
export function isUnit(typed, unit) {
  const written = unitOf(unit);
  return [unit, written, written.replace(ONE, "$1")].some((one) => one.toLowerCase() === typed.toLowerCase());
}

/** @param {string} text of a knob; what is no number with a unit stays as it is */
export function spelled(text) {
  const found = QUANTITY.exec(text.trim());
  if (!found) return text;
  const unit = unitOf(found[2]);
  return `${found[1]}${GAP}${found[1] === "1" ? unit.replace(ONE, "$1") : unit}`;
}

/**
 * What a run is called: "Loss 0.7 %, Delay 15 ms, seed 4".
 * @param {readonly Pick<Knob, "name" | "label">[]} knobs
 * @param {Record<string, string>} values their texts
 * @param {number} [seed] if it was typed
 */
export function wordsOf(knobs, values, seed) {
  const said = knobs.map(({ name, label }) => `${label} ${spelled(values[name])}`);
  return [...said, ...(seed === undefined ? [] : [`seed ${seed}`])].join(", ");
}
