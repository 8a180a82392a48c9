// Chapter 15: how late each message of a connection is.

import { rounded } from "../charts/numpy_arithmetic.mjs";
import { known, numbers, texts } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const calls = result.table("calls");
  const [sent, delays] = [numbers(calls, "sent_s"), numbers(calls, "delay_s")];
  const flows = texts(calls, "flow");
  const shown = [...sent.keys()].filter((i) => flows[i] === "positions" && sent[i] >= 1 && sent[i] < 1.4);
  return {
    data: {
      "data-1": shown.map((i) => ({ s: rounded(sent[i], 3), ms: known(rounded(1000 * delays[i], 1)) })),
    },
    description: `How long each message
took to arrive, over the time at which it was written: a dot per message.`,
  };
}

export const figures = { "explore-writes": draw };
