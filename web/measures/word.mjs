// A measure as a word: what a widget's summary and a question name, and how its value is told. As in measures/word.py.

import { least, mean, most } from "../charts/numpy_arithmetic.mjs";
import { numbersOf, textsOf } from "../charts/runs.mjs";
import { number } from "../charts/words.mjs";
import { connection } from "./connection.mjs";
import { dynamics } from "./dynamics.mjs";
import { experience } from "./experience.mjs";
import { flowWait } from "./flow_wait.mjs";
import { SHOWN, SUMMARY } from "./measure_facts.mjs";
import { network } from "./network_measures.mjs";
import { perFlow, perProtocol } from "./per_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */
/**
 * name: of the measure; flow: "" is every flow; since: s, 0 is the whole run.
 * @typedef {{name: string, flow: string, since: number}} Word
 */

/** @type {Record<string, (result: Result, name: string, since: number) => Rows>} */
const KINDS = { connection, dynamics, experience, flowWait, network, perFlow, perProtocol };
const ONE_BY_ONE = 3; // so many flows are named; of more, the range is told

/** What is told of a run of which nothing else is said. */
export const DEFAULT = SUMMARY.map((name) => ({ name, flow: "", since: 0 }));

/**
 * A word's value of each flow (by name), or of the run (by ""); null is missing, also of a flow that the run has not. A
 * share is in per cent.
 * @param {Result} result
 * @param {Word} word
 * @returns {Rows}
 */
export function valuesOf(result, { name, flow, since }) {
  const { kind, unit } = SHOWN[name];
  const found = KINDS[kind](result, name, since);
  const rows = flow ? new Map([[flow, found.get(flow) ?? null]]) : found;
  return new Map([...rows].map(([label, value]) => [label, inUnit(value, unit)]));
}

/**
 * @param {import("./values_by_flow.mjs").Value} value
 * @param {string} unit
 */
function inUnit(value, unit) {
  if (typeof value !== "number") return value;
  if (Number.isNaN(value)) return null;
  return unit === "%" ? 100 * value : value;
}

/**
 * Its value of the flow, or of the first flow; of several runs the mean.
 * @param {readonly Result[]} results
 * @param {Word} word
 */
export function numberOf(results, word) {
  return mean(results.map((result) => Number(one(valuesOf(result, word)))));
}

/** @param {Rows} values */
function one(values) {
  const [first] = values.values();
  if (typeof first !== "number") throw new RangeError("this run has no such number");
  return first;
}

/**
 * Values as texts, by title.
 * @param {Result} result
 * @param {readonly Word[]} words
 * @returns {Record<string, string>}
 */
export function summary(result, words) {
  return Object.assign({}, ...words.map((word) => lines(result, word)));
}

/**
 * Of a few flows each, of many the range.
 * @param {Result} result
 * @param {Word} word
 * @returns {Record<string, string>}
 */
function lines(result, word) {
  const { name, flow, since } = word;
  const { title, unit } = SHOWN[name];
  const when = since ? `, from ${since} s on` : "";
  const found = valuesOf(result, word);
  const known = [...found].filter(([, value]) => value !== null);
  if (known.length === 0) return { [title + (flow && ` of ${flow}`) + when]: "none" };
  if (found.size > ONE_BY_ONE) {
    const values = known.map(([, value]) => Number(value));
    return { [title + when]: `${number(least(values))} to ${number(most(values))} ${unit}`.trimEnd() };
  }
  const cut = name === "goodput" ? cutOf(result) : [];
  const isSeveral = found.size > 1 || flow !== "";
  return Object.fromEntries(
    known.map(([label, value]) => [
      title + (isSeveral ? ` of ${label}` : "") + when,
      (typeof value === "string" ? value : `${number(Number(value))} ${unit}`.trimEnd()) +
        (cut.includes(label) ? ", incomplete" : ""),
    ]),
  );
}

/**
 * The flows that did not come to their end.
 * @param {Result} result
 */
function cutOf(result) {
  const flows = result.table("flows");
  const complete = numbersOf(flows, "complete");
  return textsOf(flows, "flow").filter((_, i) => !complete[i]);
}
