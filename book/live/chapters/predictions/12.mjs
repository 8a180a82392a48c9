// Chapter 12: how long Scalable TCP takes back to its window.

import { numbers, sender, texts } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

/**
 * Seconds from the end of the first recovery until the window is what it was before the loss.
 * @param {Result} result
 */
function back(result) {
  const states = sender(result.table("cong_states"));
  const [at, state] = [numbers(states, "time_s"), texts(states, "state")];
  const lost = at[state.indexOf("Recovery")];
  const mended = at[at.findIndex((time, i) => time > lost && state[i] === "Open")];
  const probe = sender(result.table("tcp_probe"));
  const [times, windows] = [numbers(probe, "time_s"), numbers(probe, "snd_cwnd")];
  const before = windows[times.findLastIndex((time) => time < lost)];
  const row = times.findIndex((time, i) => time >= mended && windows[i] >= before);
  return row < 0 ? Number.NaN : times[row] - mended;
}

export const widgets = { "predict-scalable-back": { measure: back } };
