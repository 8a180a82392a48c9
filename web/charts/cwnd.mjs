// The congestion window over time, with ssthresh and the moments at which the sender took a loss.

import { chartOf } from "./chart.mjs";
import { DIGITS, filled } from "./figure.mjs";
import { rounded } from "./numpy_arithmetic.mjs";
import { eventsOf, LOST, retransmissionsOf, sourceOf } from "./reactions.mjs";
import {
  eachSeries,
  inside,
  meanOverTime,
  most,
  numbersOf,
  ofFlows,
  recorded,
  senders,
  seriesOf,
  textsOf,
  within,
} from "./runs.mjs";
import { firstOfEach, lastBefore, steps, thin } from "./sampling.mjs";
import { capitalized, count, limited, listing, number, times } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./figure.mjs").Row} Row */
/** @typedef {import("./reactions.mjs").Source} Source */
/** @typedef {import("./runs.mjs").Options} Options */
/** @typedef {import("./reactions.mjs").Event} Event */
/** @typedef {import("./reactions.mjs").Again} Again */
/** @typedef {{time_s: number, series: string, packets: number}} Window */

const UNSET = 2 ** 31 - 1;
const MOST_LINES = 700;
const MOST_MARKS = 120;

/**
 * cwnd in packets over time, per flow.
 *
 * From tcp_probe, or TCP_INFO's samples if only these were recorded. Marks are where the sender entered recovery or a
 * timeout: exactly with the probe "recovery", else by TCP_INFO's samples; with the probe "drops" alone they are the
 * losses. ssthresh (the stored value, from TCP_INFO): shown, if nothing is said, for a single series of which it was
 * recorded.
 * @param {Result} result
 * @param {Options & {ssthresh?: boolean}} [options]
 * @returns {Figure}
 * @throws {import("./figure.mjs").EmptyFigureError}
 * @throws {import("./figure.mjs").FigureError}
 */
export function cwnd(result, options = {}) {
  const { flows, start, ssthresh } = options;
  const windows = within(ofFlows(result, windowsOf(result), flows), "cwnd", options);
  filled(windows, "cwnd", "no TCP sender was seen", 'add Flow("left", "right", size="1MB")');
  const names = seriesOf(windows);
  const events = leveled(windows, inside(ofFlows(result, eventsOf(result), flows), options));
  const again = inside(ofFlows(result, retransmissionsOf(result), flows), options);
  let lines = called(windows, names, "cwnd");
  if (ssthresh ?? (names.length === 1 && recorded(result, "tcp_info"))) {
    const stored = inside(ofFlows(result, ssthreshOf(result), flows), options);
    lines = lines.concat(called(stored, names, "ssthresh"));
  }
  const resent = firstOfEach(onTime(again), "time_s", "series", MOST_MARKS);
  const data = {
    cwnd: thin(onTime(steps(lines, "packets", "line")), "time_s", "packets", "line", MOST_LINES),
    retransmissions: resent.map(({ time_s }) => ({ time_s })),
    losses: firstOfEach(onTime(events), "time_s", "event", MOST_MARKS),
  };
  const description = describe(windows, events, again, sourceOf(result));
  return { data, description, chart: chartOf("cwnd", data, { start }) };
}

/**
 * cwnd at the sender.
 * @param {Result} result
 * @returns {Window[]}
 */
function windowsOf(result) {
  const sampled = recorded(result, "tcp_info") && !recorded(result, "tcp_probe");
  return packetsOf(result.table(sampled ? "tcp_info" : "tcp_probe"), "snd_cwnd");
}

/**
 * ssthresh as the sender stores it, from the moment it is set.
 * @param {Result} result
 */
function ssthreshOf(result) {
  return packetsOf(result.table("tcp_info"), "snd_ssthresh").filter(({ packets }) => packets < UNSET);
}

/**
 * @param {Table} table
 * @param {string} column
 * @returns {Window[]}
 */
function packetsOf(table, column) {
  const mine = senders(table, column);
  const [times, flows, packets] = [numbersOf(mine, "time_s"), textsOf(mine, "flow"), numbersOf(mine, column)];
  return flows.map((series, i) => ({ time_s: times[i], series, packets: packets[i] }));
}

/**
 * With a `line`: what it is, if there is one series only, else whose.
 * @param {readonly Window[]} rows
 * @param {readonly string[]} names
 * @param {"cwnd" | "ssthresh"} what
 */
function called(rows, names, what) {
  /** @type {(series: string) => string} */
  const line = (series) => (names.length === 1 ? what : what === "cwnd" ? series : `${series}, ${what}`);
  return rows.map(({ time_s, packets, series }) => ({ time_s, packets, line: line(series) }));
}

/**
 * Each event with cwnd just before it, series by series; none of a flow whose cwnd was never seen.
 * @param {readonly Window[]} windows
 * @param {readonly Event[]} events
 */
function leveled(windows, events) {
  const held = eachSeries(windows);
  return [...eachSeries(events)].flatMap(([name, mine]) => {
    const own = held.get(name) ?? [];
    if (!own.length) return [];
    const at = mine.map(({ time_s }) => time_s);
    const packets = lastBefore(own, "packets", at);
    return mine.map((event, i) => ({ ...event, packets: packets[i] }));
  });
}

/**
 * @template {{time_s: number}} T
 * @param {readonly T[]} rows
 * @returns {T[]}
 */
function onTime(rows) {
  return rows.map((row) => ({ ...row, time_s: rounded(row.time_s, DIGITS.time) }));
}

/**
 * What the figure shows, from rows that are not thinned.
 * @param {readonly Window[]} windows
 * @param {readonly Event[]} events
 * @param {readonly Again[]} again
 * @param {Source} source of the events
 */
function describe(windows, events, again, source) {
  const said = [...eachSeries(windows)].map(([name, mine]) => {
    const packets = mine.map((row) => row.packets);
    const top = most(mine, (row) => row.packets);
    const happened = events.filter(({ series }) => series === name).map(({ event }) => event);
    const mean = meanOverTime(mine, packets, { step: true });
    const text =
      `cwnd of ${name} begins at ${number(packets[0])} packets, rises to ` +
      `${number(top.packets)} at ${number(top.time_s)} s, ${cuts(happened)} and ends ` +
      `at ${number(packets[packets.length - 1])}; mean ${number(mean)}.`;
    if (source === "drops") return text;
    const resent = again.reduce((all, row) => all + (row.series === name ? row.count : 0), 0);
    return `${text} ${capitalized(count(resent, "segment"))} sent again.`;
  });
  const [first, last] = ends(windows).map(number);
  const note = " Cuts are counted in samples: a short recovery between two of them is missed.";
  const all = limited(said, 8, "series");
  return `Congestion window from ${first} to ${last} s. ${all}${source === "tcp_info" ? note : ""}`;
}

/**
 * The first and the last time of some rows.
 * @param {readonly {time_s: number}[]} rows
 */
function ends(rows) {
  return rows.reduce(
    ([first, last], { time_s }) => [Math.min(first, time_s), Math.max(last, time_s)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/**
 * "is cut twice (fast recovery once and timeout once)", or how many packets were lost.
 * @param {readonly string[]} happened
 */
function cuts(happened) {
  if (happened.length === 0) return "is never cut";
  if (happened.includes(LOST)) return `sees ${count(happened.length, "packet")} lost`;
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const kind of happened) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const parts = [...kinds].map(([kind, n]) => `${kind} ${times(n)}`);
  return `is cut ${times(happened.length)} (${listing(parts)})`;
}
