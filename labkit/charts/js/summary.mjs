// What an explorer tells of a run when its chapter says nothing of its own: goodput and retransmissions.

import { least, most, sum } from "./numpy_arithmetic.mjs";
import { numbersOf, textsOf } from "./runs.mjs";
import { number } from "./words.mjs";

/** @typedef {import("../../decode/js/result.mjs").Result} Result */
/** @typedef {Record<string, string>} Summary a few figures as text, by title */

const FLOWS_NAMED = 3;

/**
 * Of each flow or, of many, together.
 * @param {Result} result
 * @returns {Summary}
 */
export function defaultSummary(result) {
  const flows = result.table("flows");
  const names = textsOf(flows, "flow");
  const complete = numbersOf(flows, "complete");
  const goodput = numbersOf(result.goodput(), "goodput");
  if (names.length > FLOWS_NAMED) return together(goodput, complete);
  const again = numbersOf(result.retransmits(), "retransmits");
  /** @type {Summary} */
  const found = {};
  names.forEach((name, i) => {
    const of = names.length > 1 ? ` of ${name}` : "";
    found[`Goodput${of}`] = `${number(goodput[i])} Mbit/s${complete[i] ? "" : ", incomplete"}`;
    if (!Number.isNaN(again[i])) found[`Sent again${of}`] = `${again[i]} segments`;
  });
  return found;
}

/**
 * @param {Float64Array} goodput
 * @param {Float64Array} complete
 * @returns {Summary}
 */
function together(goodput, complete) {
  const known = goodput.filter((rate) => !Number.isNaN(rate));
  const [low, high] = known.length ? [least(known), most(known)] : [Number.NaN, Number.NaN];
  const cut = complete.filter((whole) => !whole).length;
  /** @type {Summary} */
  const found = {
    "Goodput of a flow": `${number(low)} to ${number(high)} Mbit/s`,
    "Goodput in all": `${number(sum(known))} Mbit/s`,
  };
  if (cut) found.Incomplete = `${cut} of ${complete.length} flows`;
  return found;
}
