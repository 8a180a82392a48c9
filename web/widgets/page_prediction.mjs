// @ts-check
/* The page's laboratory as a prediction's: it measures words, with any seed. */

import { isToTheBit } from "../programs/bits.mjs";
import { chartOf } from "./recipes.mjs";
import { measured, prepared } from "./runs.mjs";

/** @typedef {import("./recipes.mjs").Parts} Parts */
/** @typedef {import("./measuring.mjs").Laboratory} Laboratory */

const DIGITS = 6;

/**
 * @param {Parts} parts
 * @param {string} kind of the question
 * @returns {Laboratory}
 */
export function predictionLab({ lab, widget, recipe, bits }, kind) {
  return {
    note: `Run here, on Linux ${lab.kernel}. Seeds: 4, or 1-5.`,
    own: "Here, with the recorded seed: ",
    seed: "as recorded",
    repeat: null,
    async measure(seed, { signal, progress, which }) {
      const planned = await prepared(widget, {}, seed, progress);
      const results = [];
      const raws = [];
      for (const [i, one] of planned.entries()) {
        if (signal.aborted) return null;
        const many = planned.length > 1 ? ` ${i + 1} of ${planned.length}` : "";
        const { result, raw } = await measured(lab, one, progress, signal, `Run${many}${which}`);
        results.push(result);
        raws.push(raw);
      }
      const drawn = widget.chart ? recipe.draw?.(results[0]) : null;
      const isSame = seed === undefined && (await isToTheBit(raws, bits[""]));
      return {
        compared: isSame ? "the same as recorded, to the bit" : "",
        measured: rounded(recipe.measure(results, kind)),
        result: drawn ? { ...chartOf(drawn, widget.chart), datasets: drawn.data } : null,
      };
    },
  };
}

/**
 * As a recording has it.
 * @param {number | number[]} found
 * @returns {number | number[]}
 */
function rounded(found) {
  const numbers = [found].flat().map((one) => Number(one.toPrecision(DIGITS)));
  if (!numbers.every(Number.isFinite)) throw new Error("this run gives no number");
  return Array.isArray(found) ? numbers : numbers[0];
}
