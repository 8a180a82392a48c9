// Goodput over time: from the bytes that the sender saw acknowledged.

import { givenUntil } from "../traffic/ends.mjs";
import { chartOf } from "./chart.mjs";
import { DIGITS, FigureError, filled } from "./figure.mjs";
import { least, linear, mean, median, most, rounded } from "./numpy_arithmetic.mjs";
import { connections, eachSeries, numbersOf, ofFlows, senders, textsOf, within } from "./runs.mjs";
import { thin } from "./sampling.mjs";
import { general, limited, number } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./runs.mjs").Options} Options */
/** @typedef {{time_s: number, series: string, bytes: number}} Acked */
/** @typedef {{time_s: number, series: string, mbit_s: number}} Rate time_s: where the piece begins */

const PIECES = 100;
const CURE = 'add Flow("left", "right", duration="30s")';

/**
 * Mbit/s of payload over time, per TCP flow. interval: what one value is the mean of (s); without one a hundredth of the
 * time shown, in round numbers. sacked: what arrived behind a gap counts when it is selectively acknowledged.
 * @param {Result} result
 * @param {Options & {interval?: number, sacked?: boolean}} [options]
 * @returns {Figure}
 * @throws {import("./figure.mjs").EmptyFigureError}
 * @throws {FigureError}
 */
export function goodput(result, options = {}) {
  const { flows, interval, sacked, start } = options;
  const acked = withSamples(
    within(ofFlows(result, ackedOf(result, sacked), flows), "goodput", options),
    "goodput",
  );
  const width = widthOf(acked, interval);
  const rates = ratesOf(acked, width);
  const said = [...eachSeries(rates)].map(([name, mine]) => describe(name, mine));
  const shown = rates.map(({ time_s, series, mbit_s }) => ({
    time_s: rounded(time_s, DIGITS.time),
    series,
    mbit_s: rounded(mbit_s, DIGITS.mbit),
  }));
  const data = { goodput: thin(shown, "time_s", "mbit_s", "series") };
  return {
    data,
    description: `Goodput in means over ${number(width)} s. ${limited(said, 8, "series")}`,
    chart: chartOf("goodput", data, { start }),
  };
}

/**
 * What each TCP sender saw acknowledged so far, from 0 at the flow's start until the time was over that it was given, be
 * it that it was never there or died before.
 * @param {Result} result
 * @param {boolean} [sacked] what is selectively acknowledged counts, too
 * @returns {Acked[]} in the order of time
 */
export function ackedOf(result, sacked = false) {
  const table = senders(result.table("tcp_info"), "bytes_acked", "sacked", "snd_mss");
  const [times, names, bytes] = [
    numbersOf(table, "time_s"),
    textsOf(table, "flow"),
    numbersOf(table, "bytes_acked"),
  ];
  const [segments, mss] = [numbersOf(table, "sacked"), numbersOf(table, "snd_mss")];
  const found = names.map((series, i) => {
    const behindGaps = sacked ? segments[i] * mss[i] : 0;
    return { time_s: times[i], series, bytes: Math.max(bytes[i] - 1, 0) + behindGaps };
  });
  /** @type {Map<string, Acked>} */
  const last = new Map();
  for (const row of found) {
    const known = last.get(row.series) ?? row;
    const time_s = Math.max(known.time_s, row.time_s);
    last.set(row.series, { series: row.series, time_s, bytes: Math.max(known.bytes, row.bytes) });
  }
  const flows = result.table("flows");
  const [all, starts] = [textsOf(flows, "flow"), numbersOf(flows, "start_s")];
  const until = givenUntil(result.recorded, flows);
  const tcp = connections(result).map((series) => ({ series, at: all.indexOf(series) }));
  const begun = tcp.map(({ series, at }) => ({ time_s: starts[at], series, bytes: 0 }));
  const over = tcp.map(({ series, at }) => {
    const known = last.get(series) ?? { time_s: Number.NaN, bytes: 0 };
    return { time_s: later(until[at], known.time_s), series, bytes: known.bytes };
  });
  return [...begun, ...found, ...over.filter(({ time_s }) => !Number.isNaN(time_s))].sort(
    (a, b) => a.time_s - b.time_s,
  );
}

/**
 * The larger one; of one that is missing, the other.
 * @param {number} a
 * @param {number} b
 */
function later(a, b) {
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b);
}

/**
 * The series that have two moments at least.
 * @param {readonly Acked[]} acked
 * @param {string} figure
 */
function withSamples(acked, figure) {
  const moments = new Map(
    [...eachSeries(acked)].map(([name, mine]) => [name, new Set(mine.map(({ time_s }) => time_s)).size]),
  );
  const kept = acked.filter(({ series }) => (moments.get(series) ?? 0) > 1);
  return filled(kept, figure, "no TCP flow has two samples in it", CURE);
}

/**
 * What one value is the mean of (s).
 * @param {readonly Acked[]} acked
 * @param {number} [interval]
 */
function widthOf(acked, interval) {
  if (interval !== undefined) {
    if (interval > 0) return interval;
    throw new FigureError(`interval=${interval}: must be more than 0 s, such as 0.5`);
  }
  const times = acked.map(({ time_s }) => time_s);
  const gaps = [...eachSeries(acked).values()].flatMap((mine) =>
    mine.slice(1).map(({ time_s }, i) => time_s - mine[i].time_s),
  );
  return nice(Math.max((most(times) - least(times)) / PIECES, median(gaps)));
}

/**
 * The smallest of 1, 2 or 5 times a power of ten that is not below this.
 * @param {number} smallest
 */
export function nice(smallest) {
  if (!(smallest > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(smallest));
  const factor = [1, 2, 5].find((one) => one * power >= smallest * (1 - 1e-9)) ?? 10;
  return Number(general(factor * power));
}

/**
 * The mean of each piece; the last value repeated. Of each series the pieces in which it was there.
 *
 * Between samples the bytes grow evenly. Where a loss is repaired, much is acknowledged at once: a piece can exceed the
 * rate of the link.
 * @param {readonly Acked[]} acked
 * @param {number} width in s
 * @returns {Rate[]}
 */
function ratesOf(acked, width) {
  const times = acked.map(({ time_s }) => time_s);
  const [first, last] = [least(times), most(times)];
  const pieces = Math.max(1, Math.ceil((last - first) / width - 1e-6));
  const edges = Array.from({ length: pieces + 1 }, (_, i) => Math.min(first + width * i, last));
  return [...eachSeries(acked)].flatMap(([series, mine]) => {
    const moments = mine.map(({ time_s }) => time_s);
    const bytes = mine.map((row) => row.bytes);
    const grown = edges.map((edge) => linear(edge, moments, bytes));
    const [begins, ends] = [moments[0], moments[moments.length - 1]];
    /** @type {Rate[]} */
    const found = [];
    for (let i = 0; i < pieces; i++) {
      if (!(edges[i + 1] > begins && edges[i] < ends)) continue;
      const mbit_s = (8e-6 * (grown[i + 1] - grown[i])) / (edges[i + 1] - edges[i]);
      found.push({ time_s: edges[i], series, mbit_s });
      if (edges[i + 1] >= ends || i + 1 === pieces) {
        found.push({ time_s: edges[i + 1], series, mbit_s });
        break;
      }
    }
    return found;
  });
}

/**
 * @param {string} name
 * @param {readonly Rate[]} mine
 */
function describe(name, mine) {
  const pieces = mine.slice(0, -1);
  const rates = pieces.map(({ mbit_s }) => mbit_s);
  const [top, low] = [most(rates), least(rates)];
  const at = pieces[rates.indexOf(top)].time_s;
  return (
    `${name}: mean ${number(mean(rates))} Mbit/s, at least ${number(low)}, at most ` +
    `${number(top)} from ${number(at)} s on.`
  );
}
