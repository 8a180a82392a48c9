// Chapter 22: the round trips that the inner and the outer sender of a tunnel see.

import { defaultSummary } from "../../../../labkit/charts/js/summary.mjs";
import { numbers, sender, texts } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Drawn} Drawn */

const SINCE_S = 0.1;

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const info = sender(result.table("tcp_info"), SINCE_S);
  const [time, window, rtt, rto, again] = ["time_s", "snd_cwnd", "rtt", "rto", "total_retrans"].map((name) =>
    numbers(info, name),
  );
  const rows = texts(info, "flow").map((connection, i) => ({
    time: time[i],
    connection,
    window: window[i],
    "round trip": rtt[i] / 1e6,
    timer: rto[i] / 1e6,
    "sent again": again[i],
  }));
  return {
    data: { "data-1": rows },
    description:
      "The smoothed round trips that the inner and the outer sender measure, over time: that of the inner one " +
      "holds the wait in the tunnel.",
  };
}

export const widgets = { "explore-queue": { draw, summary: defaultSummary } };
