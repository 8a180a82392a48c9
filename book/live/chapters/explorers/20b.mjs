// Chapter 20b: pings of a home under load.

import { median, rounded, sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { numbers, texts, whole } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Drawn} Drawn */

const BUSY_S = 9.25; // of the transfers, in the mean

/**
 * The median round trip (ms) of the pings sent from one instant to another.
 * @param {Result} result
 * @param {(sentS: number) => boolean} when
 */
function roundTrip(result, when) {
  const pings = result.table("pings");
  const sent = numbers(pings, "sent_s");
  const rtt = numbers(pings, "rtt_s").filter((one, i) => when(sent[i]) && !Number.isNaN(one));
  return 1000 * median(rtt);
}

/**
 * Mbit/s of all flows that go that way.
 * @param {Result} result
 * @param {"up" | "down"} way
 */
function carried(result, way) {
  const flows = result.table("flows");
  const received = numbers(flows, "received_bytes");
  const mine = texts(flows, "flow").flatMap((name, i) => (name?.includes(way) ? [received[i]] : []));
  return sum(mine.map((bytes) => (8e-6 * bytes) / BUSY_S));
}

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

/** @param {Result} result */
function summary(result) {
  const idle = roundTrip(result, (sent) => sent < 2.9);
  const loaded = roundTrip(result, (sent) => sent >= 5 && sent <= 12);
  return {
    Idle: `${fixed(idle, 0)} ms`,
    Loaded: `${fixed(loaded, 0)} ms`,
    Up: `${fixed(carried(result, "up"), 1)} Mbit/s`,
    Down: `${fixed(carried(result, "down"), 1)} Mbit/s`,
  };
}

export const widgets = { "explore-rrul": { draw, summary } };
