// A TCP sender's state at every segment that reaches it (tcp:tcp_probe).

import { byFlow } from "./by_flow.mjs";
import { inSeconds, Table } from "./table.mjs";

/** @typedef {import("./table.mjs").Column} Column */
/** @typedef {import("./recorded.mjs").Recorded} Recorded */

const FIELDS = ["snd_nxt", "snd_una", "snd_cwnd", "ssthresh", "snd_wnd", "srtt_us", "rcv_wnd", "data_len"];
/** @type {Record<string, string>} */
const KERNEL_NAMES = { srtt_us: "srtt" };

/**
 * One row per segment that arrived at an established socket.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function tcpProbe(run) {
  const rows = run.trace.occurrences("tcp/tcp_probe");
  /** @type {Record<string, Column>} */
  const columns = { time_s: inSeconds(rows.atNs), ...byFlow(rows, run.layout.flows) };
  for (const name of FIELDS) {
    const field = KERNEL_NAMES[name] ?? name;
    if (rows.has(field)) columns[name] = rows.column(field);
  }
  return new Table(columns);
}
