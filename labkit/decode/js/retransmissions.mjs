// How a sender mends losses: the segments that it sends again, and its congestion states.

import { byFlow } from "./by_flow.mjs";
import { inSeconds, ints, named, Table, valueAt } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */

const RETRANSMIT = "tcp/tcp_retransmit_skb";
const CONG_STATE = "tcp/tcp_cong_state_set";
const STATES = ["Open", "Disorder", "CWR", "Recovery", "Loss"]; // enum tcp_ca_state, include/uapi/linux/tcp.h

/**
 * One row per segment sent again (the probe "recovery").
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function retransmissions(run) {
  const rows = run.trace.occurrences(RETRANSMIT);
  const { flow, side } = byFlow(rows, run.layout.flows);
  return new Table({ time_s: inSeconds(rows.atNs), flow, side, state: rows.column("state") });
}

/**
 * One row per change of congestion state.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function congStates(run) {
  const rows = run.trace.occurrences(CONG_STATE);
  const { flow, side } = byFlow(rows, run.layout.flows);
  const codes = Int32Array.from(rows.numbers("cong_state"), (state) => Math.min(state, STATES.length - 1));
  return new Table({ time_s: inSeconds(rows.atNs), flow, side, state: named(codes, STATES) });
}

/**
 * One row per segment sent again, with how many its socket had sent again by then (the probe "retransmit").
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function retransmit(run) {
  const rows = run.trace.occurrences(RETRANSMIT);
  const { flow, side } = byFlow(rows, run.layout.flows);
  const [sport, dport] = [rows.column("sport"), rows.column("dport")];
  /** @type {Map<string, number>} */
  const counts = new Map();
  const number = Float64Array.from({ length: rows.length }, (_, i) => {
    const socket = [flow, side, sport, dport].map((column) => valueAt(column, i)).join(" ");
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    return count;
  });
  const state = rows.column("state");
  return new Table({ time_s: inSeconds(rows.atNs), flow, side, number: ints(number), state, sport, dport });
}
