// Chapter 26: the loss that so many flows make, beside the square-root law solved for it.

import { mean, rounded } from "../charts/numpy_arithmetic.mjs";
import { byText, numbers, only, texts } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

const C = Math.sqrt(1.5); // M. Mathis and others, CCR 27(3), 1997: periodic losses
const MSS = 1448; // bytes
const SINCE = 10; // s: slow start is over
const FLOWS = [1, 2, 4, 8, 16, 32];

/** Loss events per packet at a mean window of w packets; with the pause: if the window stops growing for a round trip at
 * each of them.
 * @type {Record<string, (w: number) => number>} */
const LAWS = {
  law: (w) => (C / w) ** 2,
  "law with the pause": (w) => ((Math.sqrt(1 / C ** 2 + 4 / w) - 1 / C) / 2) ** 2,
};

/**
 * Loss events and packets lost per packet sent, and the packets in flight.
 * @param {Result} result
 */
function seen(result) {
  const info = result.table("tcp_info");
  const [time, ends] = [numbers(info, "time_s"), texts(info, "side")];
  const senders = info.where((row) => ends[row] === "sender" && time[row] >= SINCE);
  const flows = [...byText(texts(senders, "flow")).values()];
  /** @param {string} name */
  const counted = (name) => {
    const values = numbers(senders, name);
    return flows.reduce((sum, rows) => sum + values[rows[rows.length - 1]] - values[rows[0]], 0);
  };
  const sent = counted("data_segs_out");
  const times = numbers(senders, "time_s");
  const took = times[times.length - 1] - times[0];
  const states = result.table("cong_states");
  const when = numbers(states, "time_s");
  const cuts = only(states, { side: "sender", state: ["Recovery", "Loss"] }, (row) => when[row] >= SINCE);
  const queues = result.table("backlog");
  const sampled = numbers(queues, "time_s");
  const queue = only(queues, { host: "router", peer: "right" }, (row) => sampled[row] >= SINCE);
  const drops = numbers(queue, "drops");
  return {
    events: cuts.length / sent,
    lost: (drops[drops.length - 1] - drops[0]) / sent,
    flight: ((counted("bytes_acked") / took) * (mean(numbers(senders, "rtt")) / 1e6)) / MSS,
  };
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const { events, lost, flight } = seen(result);
  const flows = result.table("flows").length;
  const lines = Object.entries(LAWS).flatMap(([series, rule]) =>
    FLOWS.map((n) => ({ flows: n, loss: rounded(rule(flight / n), 6), series })),
  );
  return {
    data: {
      "data-1": [
        ...lines,
        { flows, loss: rounded(events, 6), series: "loss events" },
        { flows, loss: rounded(lost, 6), series: "packets lost" },
      ],
    },
    description: `Loss over the number of flows,
both axes logarithmic: the law's two lines rise, and two points are what this
run had, its loss events and its packets lost.`,
  };
}

export const figures = { "explore-loss": draw };
