// What a user feels of an application: figures of pages, sessions, streams, calls and pings.

import { mean, median, quantile } from "../charts/numpy_arithmetic.mjs";
import { numbersOf } from "../charts/runs.mjs";
import { ordered, rowsBy } from "./values_by_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */
/** @typedef {(column: string) => number[]} Column of the rows of a flow */

const LATE_S = 0.15;

/** @type {Record<string, Record<string, (column: Column) => number | null>>} table -> figure -> how it is made */
const TABLES = {
  pages: { load_s: first("load_s"), first_object_s: first("first_object_s") },
  playback: {
    startup_s: first("startup_s"),
    stalls: first("stalls"),
    stalled_s: first("stalled_s"),
    switches: first("switches"),
    mean_rate: (column) => column("mean_rate")[0] / 1e6,
  },
  keystrokes: {
    echo_median_s: (column) => rank(column("latency_s"), 0.5),
    echo_p95_s: (column) => rank(column("latency_s"), 0.95),
    echo_above_100ms: (column) => mean(column("above_100ms")),
    echo_above_300ms: (column) => mean(column("above_300ms")),
  },
  calls: {
    call_lost: (column) => share(column("delay_s"), Number.isNaN),
    call_late: (column) => share(column("delay_s"), (delay) => !(delay <= LATE_S)),
    call_delay_p95_s: (column) => quantile(known(column("delay_s")), 0.95),
    call_jitter_s: (column) => {
      const came = known(column("delay_s"));
      return mean(came.slice(1).map((delay, i) => Math.abs(delay - came[i])));
    },
  },
  pings: {
    ping_median_ms: (column) => 1000 * median(known(column("rtt_s"))),
    ping_mean_ms: (column) => 1000 * mean(known(column("rtt_s"))),
    ping_loss: (column) => share(column("rtt_s"), Number.isNaN),
  },
};

/**
 * @param {string} name of the one row's column
 * @returns {(column: Column) => number}
 */
function first(name) {
  return (column) => column(name)[0];
}

/** @param {readonly number[]} values */
function known(values) {
  return values.filter((value) => !Number.isNaN(value));
}

/**
 * @param {readonly number[]} values
 * @param {(value: number) => boolean} holds
 */
function share(values, holds) {
  return values.length ? values.filter(holds).length / values.length : null;
}

/**
 * The value below which a share of them is, itself one of them; what never came is larger than all.
 * @param {readonly number[]} values
 * @param {number} q
 */
function rank(values, q) {
  const latencies = values.map((value) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value));
  const found = latencies.sort((a, b) => a - b)[Math.ceil(q * (values.length - 1))];
  return Number.isFinite(found) ? found : null;
}

/**
 * @param {Result} result
 * @param {string} name
 * @param {number} since
 * @returns {Rows}
 */
export function experience(result, name, since) {
  /** @type {Map<string, number | null>} */
  const found = new Map();
  for (const [table, figures] of Object.entries(TABLES)) {
    const rows = result.table(table);
    const sent = "sent_s" in rows.columns && table !== "keystrokes" ? numbersOf(rows, "sent_s") : null;
    for (const [flow, all] of rowsBy(rows, "flow")) {
      const mine = sent === null ? all : all.filter((row) => sent[row] >= since);
      /** @type {Column} */
      const column = (one) => {
        const values = numbersOf(rows, one);
        return mine.map((row) => values[row]);
      };
      found.set(flow, figures[name]?.(column) ?? null);
    }
  }
  return ordered(result, found);
}
