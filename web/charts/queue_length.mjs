// Packets waiting in one queue over time: exactly (probe "queue"), or sampled (probe "backlog").

import { chartOf } from "./chart.mjs";
import { DIGITS } from "./figure.mjs";
import { rounded } from "./numpy_arithmetic.mjs";
import { dropsOf, fullest, lengthOf } from "./queue_data.mjs";
import { firstOf, inside, meanOverTime, most, within } from "./runs.mjs";
import { firstOfEach, thin } from "./sampling.mjs";
import { count, number } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./queue_data.mjs").Place} Place */
/** @typedef {import("./queue_data.mjs").Length} Length */

const MOST_MARKS = 120;
const MOST_POINTS = 730;

/**
 * Packets waiting in one queue over time. at: the queue; without one that where most packets waited. Packets that it
 * dropped are marked if the run was made with the probe "drops". start, end: s.
 * @param {Result} result
 * @param {{at?: Place, start?: number, end?: number}} [options]
 * @returns {Figure}
 * @throws {import("./figure.mjs").EmptyFigureError}
 * @throws {import("./figure.mjs").FigureError}
 */
export function queue(result, options = {}) {
  const { at = fullest(result), start } = options;
  const series = `${at[0]} → ${at[1]}`;
  const lengths = within(lengthOf(result, at), "queue", options);
  const lost = inside(dropsOf(result, at), options);
  const shown = lengths.map(({ time_s, packets }) => ({
    time_s: rounded(time_s, DIGITS.time),
    series,
    packets,
  }));
  const marked = lost.map(({ time_s, packets }) => ({
    time_s: rounded(time_s, DIGITS.time),
    packets,
    series,
  }));
  const data = {
    queue: thin(shown, "time_s", "packets", "series", MOST_POINTS),
    drops: firstOfEach(marked, "time_s", "series", MOST_MARKS),
  };
  return {
    data,
    description: `Packets waiting in the queue from ${at[0]} to ${at[1]}. ${describe(series, lengths, lost)}`,
    chart: chartOf("queue", data, { start, at: series }),
  };
}

/**
 * @param {string} series
 * @param {readonly Length[]} lengths
 * @param {readonly Length[]} lost
 */
function describe(series, lengths, lost) {
  const top = most(lengths, ({ packets }) => packets);
  const mean = meanOverTime(
    lengths,
    lengths.map(({ packets }) => packets),
  );
  const text =
    `${series}: at most ${number(top.packets)} packets, at ${number(top.time_s)} s; ` +
    `mean over time ${number(mean)}`;
  if (lost.length === 0) return `${text}.`;
  return `${text}; ${count(lost.length, "packet")} dropped, the first at ${number(firstOf(lost).time_s)} s.`;
}
