// Which seconds of a run are shown, if nobody says: those around its first losses.
//
// From one round trip before the first lost packet was sent (what fills a queue is what came before) to one round trip
// after all was mended that was lost in the first ten round trips. Of a run without losses the first ten round trips.

import { general } from "../charts/words.mjs";
import { FILM } from "../decode/facts.mjs";
import { valueAt } from "../decode/table.mjs";
import { DELIVERED } from "../results/accounts.mjs";
import { inNs, numbersOf } from "./film_columns.mjs";
import { rowsOf } from "./journeys.mjs";

/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/** @typedef {{begin: number, end: number}} Span from, to: ns since the start of the run */

const LEAST_NS = 1_000_000; // of a network without any delay

/** Seconds that cannot be shown; says what could. */
export class SpanError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "SpanError";
  }
}

/**
 * @param {Journeys} found
 * @param {readonly [number, number] | null} between s since the start of the run
 * @returns {Span}
 * @throws {SpanError}
 */
export function chosen(found, between) {
  if (found.length === 0) {
    const text = "no packet was captured: an experiment needs a flow or a command that sends some";
    throw new SpanError(`player: nothing to show: ${text}`);
  }
  const first = found.leftNs.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = found.endedNs.reduce((most, at) => Math.max(most, at), 0);
  if (between === null) return interesting(found, first, last);
  const [begin, end] = between.map(inNs);
  const given = `player: between=(${between.join(", ")})`;
  if (!(begin >= 0 && begin < end)) {
    throw new SpanError(`${given}: two times in s, the earlier one first: write between=[1.2, 1.5]`);
  }
  if (!found.leftNs.some((left, n) => left <= end && found.endedNs[n] >= begin)) {
    const there = `there are some from ${general(first / 1e9)} to ${general(last / 1e9)} s`;
    throw new SpanError(`${given}: no packet was under way then: ${there}`);
  }
  return { begin, end };
}

/**
 * Typical of the run: the median time to the other end and that back, of the packets of flows if any.
 * @param {Journeys} found
 */
export function roundTripNs({ accounts: { packets } }) {
  const { table, fate, sentNs, arrivedNs } = packets;
  const [flow, way] = [table.column("flow"), table.column("way")];
  const there = rowsOf(fate.length, (i) => fate[i] === DELIVERED);
  const mine = there.filter((i) => valueAt(flow, i) !== null);
  /** @type {Map<string, number[]>} */
  const took = new Map();
  for (const i of mine.length > 0 ? mine : there) {
    const name = String(valueAt(way, i) ?? "");
    took.set(name, took.get(name) ?? []);
    took.get(name)?.push(arrivedNs[i] - sentNs[i]);
  }
  const ways = [...took.values()].map(median);
  if (ways.length === 0) return LEAST_NS;
  const trip = ways.length > 1 ? ways.reduce((sum, one) => sum + one, 0) : 2 * ways[0];
  return Math.max(Math.trunc(trip), LEAST_NS);
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @param {Journeys} found
 * @param {number} first ns
 * @param {number} last ns
 * @returns {Span}
 */
function interesting(found, first, last) {
  const trip = roundTripNs(found);
  const { losses } = found;
  const flow = losses.column("flow");
  const every = rowsOf(losses.length, () => true);
  const mine = every.filter((i) => valueAt(flow, i) !== null);
  const rows = mine.length > 0 ? mine : every;
  if (rows.length === 0) return { begin: first, end: Math.min(last, first + FILM.roundTrips * trip) };
  const [sentS, lostS, recoveredS] = ["sent_s", "lost_s", "recovered_s"].map((name) =>
    numbersOf(losses, name),
  );
  const sent = rows.map((i) => inNs(sentS[i]));
  const begin = Math.max(first, Math.min(...sent) - trip);
  const early = rows.filter((_, n) => sent[n] <= begin + FILM.roundTrips * trip);
  const mended = early.map(
    (i) => Math.max(lostS[i], Number.isNaN(recoveredS[i]) ? lostS[i] : recoveredS[i]) * 1e9,
  );
  const end = Math.trunc(mended.reduce((most, at) => Math.max(most, at), 0)) + trip;
  return { begin, end: Math.min(last, Math.max(end, begin + FILM.roundTrips * trip)) };
}
