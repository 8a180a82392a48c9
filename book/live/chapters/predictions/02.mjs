// Chapter 2: which of three counters tells of a flipped bit.

import { most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { moved, numbers } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const CARD = "errors of the device";
const QUEUE = "drops of the queue";
const SUM = "checksum errors of IP and TCP";

/**
 * Counter -> packets, in the chapter's order.
 * @param {Result} result
 * @returns {[string, number][]}
 */
function counted(result) {
  return [
    [CARD, moved(result.table("interfaces"), { name: "rx_errors" })],
    [QUEUE, most(numbers(result.table("backlog"), "drops"))],
    [SUM, moved(result.table("counters"), { name: ["TcpInCsumErrors", "IpInHdrErrors"] })],
  ];
}

export const widgets = {
  "which-counter": {
    /** @param {Result} result */
    measure: (result) => counted(result).reduce((best, one) => (one[1] > best[1] ? one : best))[0],
    /** @param {Result} result */
    draw: (result) => ({
      data: { "data-1": counted(result).map(([counter, packets]) => ({ counter, packets })) },
      description: "Three counters, of which one has moved.",
    }),
  },
};
