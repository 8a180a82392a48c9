// Chapter 29: pings of a home under load.

import { rounded } from "../charts/numpy_arithmetic.mjs";
import { numbers, whole } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const pings = whole(result.table("pings"));
  const [sent, rtt] = [numbers(pings, "sent_s"), numbers(pings, "rtt_s")];
  const rows = Array.from(sent, (at, i) => ({ s: rounded(at, 2), ms: rounded(1000 * rtt[i], 2) }));
  return {
    data: { "data-1": rows },
    description: `Round-trip times of
pings over time, on a logarithmic axis: 20 ms in the first three seconds, and
then whatever the queue makes of them under load.`,
  };
}

export const figures = { "explore-rrul": draw };
