// How each TCP connection of a run fared, by its sender's TCP_INFO.

import { most } from "../charts/numpy_arithmetic.mjs";
import { numbersOf, textsOf } from "../charts/runs.mjs";
import { givenUntil } from "../traffic/ends.mjs";
import { ordered, rowsBy } from "./values_by_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */
/** @typedef {(name: string) => number[]} Samples a column of a connection's samples */

/** @type {Record<string, (samples: Samples, about: {untilS: number, since: number}) => number | null>} */
const FIGURES = {
  rtt_max_ms: (samples) => most(samples("rtt")) / 1000,
  pause_max_s: longestPause,
  retransmitted_share: (samples, { since }) => {
    const [again, sent] = ["total_retrans", "data_segs_out"].map((name) => {
      const values = samples(name);
      return values[values.length - 1] - (since ? values[0] : 0);
    });
    return sent ? again / sent : null;
  },
  rwnd_max: (samples) => most(samples("snd_wnd")),
  rwnd_limited: (samples) => {
    const [limited, busy] = ["rwnd_limited", "busy_time"].map((name) => samples(name).at(-1) ?? 0);
    return busy ? limited / busy : null;
  },
};

/**
 * @param {Samples} samples
 * @param {{untilS: number}} about
 */
function longestPause(samples, { untilS }) {
  const [times, acked] = [samples("time_s"), samples("bytes_acked")];
  const moved = [...times.filter((_, i) => acked[i] > (i ? acked[i - 1] : -1)), untilS];
  return moved.length > 1 ? most(moved.slice(1).map((time, i) => time - moved[i])) : null;
}

/**
 * @param {Result} result
 * @param {string} name
 * @param {number} since
 * @returns {Rows}
 */
export function connection(result, name, since) {
  const info = result.table("tcp_info");
  const [sides, times] = [textsOf(info, "side"), numbersOf(info, "time_s")];
  const flows = textsOf(result.table("flows"), "flow");
  const until = givenUntil(result.recorded, result.table("flows"));
  const mine = rowsBy(info, "flow", (row) => sides[row] === "sender" && times[row] >= since);
  const found = [...mine].map(([flow, rows]) => {
    /** @type {Samples} */
    const samples = (column) => {
      const values = numbersOf(info, column);
      return rows.map((row) => values[row]);
    };
    const about = { untilS: until[flows.indexOf(flow)], since };
    return /** @type {[string, number | null]} */ ([flow, FIGURES[name](samples, about)]);
  });
  return ordered(result, new Map(found));
}
