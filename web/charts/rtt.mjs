// The smoothed round-trip time over time.

import { chartOf } from "./chart.mjs";
import { DIGITS, filled } from "./figure.mjs";
import { rounded } from "./numpy_arithmetic.mjs";
import {
  eachSeries,
  least,
  meanOverTime,
  most,
  numbersOf,
  ofFlows,
  recorded,
  senders,
  textsOf,
  within,
} from "./runs.mjs";
import { thin } from "./sampling.mjs";
import { limited, number } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./runs.mjs").Options} Options */
/** @typedef {{time_s: number, series: string, ms: number}} Trip */

/**
 * The sender's smoothed RTT (RFC 6298) in ms over time, per flow: from tcp_probe (at each arriving segment), or TCP_INFO's
 * samples if only these were recorded.
 * @param {Result} result
 * @param {Options} [options]
 * @returns {Figure}
 * @throws {import("./figure.mjs").EmptyFigureError}
 * @throws {import("./figure.mjs").FigureError}
 */
export function rtt(result, options = {}) {
  const { flows, start } = options;
  const trips = within(ofFlows(result, tripsOf(result), flows), "rtt", options);
  filled(trips, "rtt", "no TCP sender measured one", 'add Flow("left", "right", size="1MB")');
  const said = [...eachSeries(trips)].map(([name, mine]) => describe(name, mine));
  const shown = trips.map(({ time_s, series, ms }) => ({
    time_s: rounded(time_s, DIGITS.time),
    series,
    ms: rounded(ms, DIGITS.ms),
  }));
  const data = { rtt: thin(shown, "time_s", "ms", "series") };
  return {
    data,
    description: `Smoothed round-trip time. ${limited(said, 8, "series")}`,
    chart: chartOf("rtt", data, { start }),
  };
}

/**
 * Smoothed RTT at the sender, once there is one.
 * @param {Result} result
 * @returns {Trip[]}
 */
function tripsOf(result) {
  const exact = recorded(result, "tcp_probe") || !recorded(result, "tcp_info");
  const column = exact ? "srtt_us" : "rtt";
  const table = senders(result.table(exact ? "tcp_probe" : "tcp_info"), column);
  const us = numbersOf(table, column);
  const [times, flows] = [numbersOf(table, "time_s"), textsOf(table, "flow")];
  return flows
    .map((series, i) => ({ time_s: times[i], series, ms: us[i] / 1000 }))
    .filter(({ ms }) => ms > 0);
}

/**
 * @param {string} name
 * @param {readonly {time_s: number, ms: number}[]} mine
 */
function describe(name, mine) {
  const [low, high] = [least(mine, (row) => row.ms), most(mine, (row) => row.ms)];
  const values = mine.map(({ ms }) => ms);
  return (
    `${name}: least ${number(low.ms)} ms at ${number(low.time_s)} s, most ` +
    `${number(high.ms)} ms at ${number(high.time_s)} s, mean over time ` +
    `${number(meanOverTime(mine, values))} ms.`
  );
}
