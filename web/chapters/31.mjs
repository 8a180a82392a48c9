// Chapter 31: the delay of a call's packets beside uploads.

import { rounded } from "../charts/numpy_arithmetic.mjs";
import { numbers } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

const EVERY = 4; // packets, of which one is drawn

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const calls = result.table("calls");
  const [sent, delays] = [numbers(calls, "sent_s"), numbers(calls, "delay_s")];
  const arrived = [...sent.keys()].filter((i) => !Number.isNaN(delays[i]) && !Number.isNaN(sent[i]));
  const rows = arrived
    .filter((_, n) => n % EVERY === 0)
    .map((i) => ({ s: rounded((1000 * sent[i]) / 1000, 2), delay: rounded(1000 * delays[i], 2) }));
  return {
    data: { "data-1": rows },
    description: `Delay of the call's
packets over time.`,
  };
}

export const figures = { "explore-call": draw };
