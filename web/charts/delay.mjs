// Time that packets spend in one queue (ms), over the time at which they came.

import { chartOf } from "./chart.mjs";
import { DIGITS } from "./figure.mjs";
import { median, rounded } from "./numpy_arithmetic.mjs";
import { fullest, waitOf } from "./queue_data.mjs";
import { most, within } from "./runs.mjs";
import { thin } from "./sampling.mjs";
import { grouped, number } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./queue_data.mjs").Place} Place */

/**
 * Each packet's own wait if every packet was recorded (probe "queue"); else the sampled backlog divided by the link's
 * rate. at, start, end: as for `queue`.
 * @param {Result} result
 * @param {{at?: Place, start?: number, end?: number}} [options]
 * @returns {Figure}
 * @throws {import("./figure.mjs").EmptyFigureError}
 * @throws {import("./figure.mjs").FigureError}
 */
export function delay(result, options = {}) {
  const { at = fullest(result), start } = options;
  const series = `${at[0]} → ${at[1]}`;
  const waits = within(waitOf(result, at), "delay", options);
  const shown = waits.map(({ time_s, ms }) => ({
    time_s: rounded(time_s, DIGITS.time),
    series,
    ms: rounded(ms, DIGITS.ms),
  }));
  const data = { delay: thin(shown, "time_s", "ms", "series") };
  return {
    data,
    description: `Time that packets spend in the queue from ${at[0]} to ${at[1]}. ${describe(series, waits)}`,
    chart: chartOf("delay", data, { start, at: series }),
  };
}

/**
 * The median is of packets, or of samples: what a packet meets, not what a moment is like.
 * @param {string} series
 * @param {readonly import("./queue_data.mjs").Wait[]} waits
 */
function describe(series, waits) {
  if (waits.length === 0) return "";
  const top = most(waits, ({ ms }) => ms);
  const middle = median(waits.map(({ ms }) => ms));
  return (
    `${series}: at most ${number(top.ms)} ms, at ${number(top.time_s)} s; ` +
    `median of ${grouped(String(waits.length))} values ${number(middle)}.`
  );
}
