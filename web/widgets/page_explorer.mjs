// @ts-check
/* The page's laboratory as an explorer's: knobs take any value, and what they say is run here. */

import { pieces } from "../decode/csv.mjs";
import { isToTheBit, keyOf } from "../programs/bits.mjs";
import { ProbeMissingError, Result } from "../results/result.mjs";
import { pointOf } from "./recipes.mjs";
import { capturedAgain, measured, prepared } from "./runs.mjs";

/** @typedef {import("./recipes.mjs").Parts} Parts */
/** @typedef {import("./explorer.mjs").Laboratory} Laboratory */

/**
 * @param {Parts} parts
 * @returns {Laboratory}
 */
export function explorerLab({ lab, widget, recipe, bits }) {
  /** @type {Result | null} */
  let latest = null;
  const held = () => {
    if (latest === null) throw new Error("nothing has run here");
    return latest;
  };
  return {
    knobs: widget.knobs,
    seed: "as recorded",
    atOnce: true,
    note: `Each turn of a knob runs the experiment here, on Linux ${lab.kernel}.`,
    where: `run here, Linux ${lab.kernel}`,
    async run({ values, seed }, { signal, progress }) {
      const [planned] = await prepared(widget, values, seed, progress);
      if (signal.aborted) return null;
      const { result, raw } = await measured(lab, planned, progress, signal);
      latest = result;
      const key = seed === undefined ? keyOf(widget.knobs, values) : null;
      const point = pointOf(result, recipe, widget.chart ?? {});
      return { ...point, isToTheBit: key !== null && (await isToTheBit([raw], bits[key])) };
    },
    files: {
      tables: async () => Result.tables.filter((name) => tableOf(held(), name)?.length),
      csv: async (name) => {
        const table = tableOf(held(), name);
        return table ? [...pieces(table)] : [];
      },
      pcapng: async (say) => {
        const result = held();
        if (result.recorded.experiment.capture.length) return [result.pcapng()];
        say("Nothing was captured: the experiment runs again, and is captured …");
        return [(await capturedAgain(lab, result, widget.own)).pcapng()];
      },
      result: null,
    },
  };
}

/**
 * Null if it was not recorded.
 * @param {Result} result
 * @param {string} name
 */
function tableOf(result, name) {
  try {
    return result.table(name);
  } catch (error) {
    if (error instanceof ProbeMissingError) return null;
    throw error;
  }
}
