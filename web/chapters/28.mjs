// Chapter 28: the throughput of an hour, computed from pings and measured.

import { mean, rounded } from "../charts/numpy_arithmetic.mjs";
import { known, numbers, ofFlow, only } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

const BULK_S = 15;
const MSS = 1448; // bytes
const PINGER_MSS = 1460; // what 47 of Cottrell's 48 sites had in 1999
const PINGS = 100;
const STALLED = 0.01; // Mbit/s

/**
 * Loss and mean round trip (s) of the pings before the transfer or beside it.
 * @param {Result} result
 * @param {"before" | "beside"} when
 */
function pings(result, when) {
  const rtt = numbers(only(result.table("pings"), { flow: `${when}0` }), "rtt_s");
  const answered = rtt.filter((one) => !Number.isNaN(one));
  return { loss: 1 - answered.length / rtt.length, rtt: mean(answered) };
}

/**
 * Which share of its packets began a recovery or a timeout; half of one if none did.
 * @param {Result} result
 */
function events(result) {
  const sent = Math.max(ofFlow(result.table("flows"), "bulk0", "sent_bytes") / MSS, 1);
  const found = only(result.table("cong_states"), {
    side: "sender",
    state: ["Recovery", "Loss"],
    flow: "bulk0",
  });
  return Math.min(Math.max(found.length, 0.5), sent) / sent;
}

/**
 * By the square-root law (M. Mathis and others, CCR 27(3), 1997), in Mbit/s; where no ping was lost, half a one is taken
 * for lost.
 * @param {number} loss
 * @param {number} rtt
 */
function says(loss, rtt) {
  return (8 * PINGER_MSS) / Math.sqrt(loss > 0 ? loss : 0.5 / PINGS) / rtt / 1e6;
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const [before, beside] = [pings(result, "before"), pings(result, "beside")];
  const got = (8e-6 * ofFlow(result.table("flows"), "bulk0", "received_bytes")) / BULK_S;
  const said = {
    "pings before": says(before.loss, before.rtt),
    "pings beside": says(beside.loss, beside.rtt),
    "its own events": says(events(result), beside.rtt),
    measured: Math.max(got, STALLED),
  };
  const rows = Object.entries(said).map(([from, mbit]) => ({ from, mbit: known(rounded(mbit, 3)) }));
  return {
    data: { "data-1": rows },
    description: `Four bars: throughput
computed from pings before, from pings beside the transfer, from its own
congestion events, and measured.`,
  };
}

export const figures = { "explore-hour": draw };
