// Chapter 11: whose window is back first after one loss.

import { smallest } from "../shared/arithmetic.mjs";
import { numbers, only, sender, texts } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const NAMES = ["Reno", "CUBIC", "H-TCP"];

/**
 * When the sender last entered each congestion state: state -> s.
 * @param {Result} result
 */
function entered(result) {
  const states = only(result.table("cong_states"), { side: "sender" });
  const times = numbers(states, "time_s");
  return new Map(texts(states, "state").map((state, row) => [state, times[row]]));
}

/**
 * Seconds from the end of recovery until the window is what it was; never: infinite.
 * @param {Result} result
 */
function back(result) {
  const when = entered(result);
  const [recovery, open] = ["Recovery", "Open"].map((state) => when.get(state) ?? Number.NaN);
  const probe = sender(result.table("tcp_probe"));
  const [times, windows] = [numbers(probe, "time_s"), numbers(probe, "snd_cwnd")];
  const before = windows[times.findLastIndex((time) => time < recovery)];
  const row = times.findIndex((time, i) => time >= open && windows[i] >= before);
  return row < 0 ? Number.POSITIVE_INFINITY : times[row] - open;
}

export const widgets = {
  "predict-first-back": {
    /** @param {Result[]} results */
    measure: (results) => NAMES[smallest(results.map(back))],
  },
};
