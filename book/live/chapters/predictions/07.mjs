// Chapter 7: packets per round trip of slow start, and how long the loss of the last packet takes.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { least } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { ledger } from "../../../../labkit/results/js/ledger/ledger.mjs";
import { floorDivided } from "../shared/arithmetic.mjs";
import { drawn } from "../shared/drawn.mjs";
import { linksOf } from "../shared/experiment.mjs";
import { numbers, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const FIRST = 6; // round trips

/**
 * Packets of data that leave in each of the first round trips; one with none has no place.
 * @param {Result} result
 */
function rounds(result) {
  const [{ forward, backward }] = linksOf(result);
  const table = result.packetTable("left");
  const payload = numbers(table, "payload");
  const data = only(table, { direction: "out" }, (row) => payload[row] > 0);
  const times = numbers(data, "time_s");
  const start = least(times);
  const counts = new Array(FIRST).fill(0);
  for (const time of times) {
    const trip = floorDivided(time - start, forward.delay + backward.delay);
    if (trip < FIRST) counts[trip]++;
  }
  return counts.filter((count) => count > 0);
}

export const widgets = {
  "predict-slow-start": {
    measure: rounds,
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result, { end: 0.4 }), context),
  },
  "predict-tail": {
    /** @param {Result} result */
    measure: (result) => {
      const lost = ledger(result);
      return numbers(lost, "retransmitted_s")[0] - numbers(lost, "sent_s")[0];
    },
  },
};
