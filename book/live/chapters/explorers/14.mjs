// What chapter 14's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { linear, mean } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { linksOf } from "../shared/experiment.mjs";
import { numbers, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const PAYLOAD = 1448;
const PACKET = 1514;

export const widgets = {
  "explore-place": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result, { interval: 0.5 }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const { duration } = /** @type {{duration: number}} */ (
    /** @type {unknown} */ (result.recorded.experiment)
  );
  const { rate } = linksOf(result)[0].forward;
  const full = ((((rate / 8) * duration) / 2) * PAYLOAD) / PACKET;
  const queued = only(result.table("backlog"), { host: "left" });
  const times = numbers(queued, "time_s");
  const bytes = numbers(queued, "backlog_bytes").filter((_, row) => times[row] > duration / 2);
  const other = shareOf(result, "other", duration, full);
  return {
    "Its share of the line": fixed(Number(shareOf(result, "it", duration, full)), 2),
    "In the queue": `${fixed((8000 * mean(bytes)) / rate, 0)} ms`,
    ...(other === null ? {} : { "The other's": fixed(other, 2) }),
  };
}

/**
 * What a flow had acknowledged in the second half of the time; null of one of which there is no sample.
 * @param {Result} result
 * @param {string} flow
 * @param {number} end in s
 * @param {number} full what the line carries in that half
 */
function shareOf(result, flow, end, full) {
  const info = only(result.table("tcp_info"), { flow, side: "sender" });
  if (info.length === 0) return null;
  const [times, acked] = [numbers(info, "time_s"), numbers(info, "bytes_acked")];
  return (linear(end, times, acked) - linear(end / 2, times, acked)) / full;
}
