// @ts-check
/* A knob's value as the text has it: "5%" is 5 %, "15ms" is 15 ms, "2mbit" is 2 Mbit/s. */

/** A number and its unit; "25th" has none. */
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(?!(?:st|nd|rd|th)$)([a-zµ%][\w/]*)$/i;
const GAP = "\u00a0"; // a number and its unit stay in one line

/** How labkit's short units are written out. @type {Readonly<Record<string, string>>} */
const UNITS = { p: "packets", us: "µs", bit: "bit/s", kbit: "kbit/s", mbit: "Mbit/s", gbit: "Gbit/s" };
const ONE = /^(packet|byte|segment|frame|flow|row|command)s$/;

/** @typedef {import("../programs/knobs.mjs").Knob} Knob */

/** @param {string} unit as labkit takes it */
export function unitOf(unit) {
  return UNITS[unit.toLowerCase()] ?? unit;
}

/** Units of one quantity, as powers of ten. @type {readonly Readonly<Record<string, number>>[]} */
const POWERS = [
  { s: 0, ms: -3, µs: -6, ns: -9 },
  { "bit/s": 0, "kbit/s": 3, "Mbit/s": 6, "Gbit/s": 9 },
  { bytes: 0, B: 0, kB: 3, MB: 6, GB: 9 },
];

/**
 * By which power of ten a number in a unit that was typed is to be multiplied, to be one in the knob's; null: it is another
 * quantity. Units may be short or written out.
 * @param {string} typed
 * @param {string} unit
 */
export function powerOf(typed, unit) {
  const written = unitOf(unit);
  const same = [unit, written, written.replace(ONE, "$1")];
  if (same.some((one) => one.toLowerCase() === typed.toLowerCase())) return 0;
  for (const powers of POWERS) {
    const [from, to] = [powers[unitOf(typed)], powers[written]];
    if (from !== undefined && to !== undefined) return from - to;
  }
  return null;
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
