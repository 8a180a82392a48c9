// Chapter 3: what two flows try to send, one against the other (the plane of Chiu and Jain).

import { least, rounded } from "../charts/numpy_arithmetic.mjs";
import { recorded, senders } from "../charts/runs.mjs";
import { byText, known, numbers, texts } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

const RATE = 10; // Mbit/s, of the link
const RTT = 0.05; // s, of the empty path
const TOP = 25; // Mbit/s: where both axes end
const [POINTS, APART] = [200, 0.1]; // from the start of the second flow on; s

/** @param {number} packets that a flow has in flight */
const tried = (packets) => (packets * 1514 * 8) / RTT / 1e6;
/** @param {number} value */
const written = (value) => known(rounded(value, 3));

/**
 * Each flow's window as steps, in order.
 * @param {Result} result
 */
function windows(result) {
  const sampled = recorded(result, "tcp_info") && !recorded(result, "tcp_probe");
  const table = senders(result.table(sampled ? "tcp_info" : "tcp_probe"), "snd_cwnd");
  const [times, packets] = [numbers(table, "time_s"), numbers(table, "snd_cwnd")];
  const flows = byText(texts(table, "flow"));
  return (/** @type {string} */ name) =>
    (flows.get(name) ?? []).map((row) => ({ time: times[row], packets: packets[row] }));
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const windowsOf = windows(result);
  const both = { first: windowsOf("first"), second: windowsOf("second") };
  const since = least(both.second.map(({ time }) => time));
  const points = Array.from({ length: POINTS }, (_, i) => {
    const time = since + i * APART;
    /** @param {{time: number, packets: number}[]} steps */
    const at = (steps) => written(tried(steps.findLast((step) => step.time <= time)?.packets ?? Number.NaN));
    return { first: at(both.first), second: at(both.second), s: written(time - since) };
  });
  const buffer = Number(result.recorded.experiment.topology.links[0].forward.queue?.packets);
  const full = written(RATE + tried(buffer));
  /** @type {[string, number | null, number | null][][]} */
  const lines = [
    [
      ["equal shares", 0, 0],
      ["equal shares", TOP, TOP],
    ],
    [
      ["link busy", 0, RATE],
      ["link busy", RATE, 0],
    ],
    [
      ["buffer full", 0, full],
      ["buffer full", full, 0],
    ],
  ];
  return {
    data: {
      "data-1": lines.flat().map(([line, first, second]) => ({ line, first, second })),
      "data-2": points,
      "data-3": points.slice(0, 1),
    },
    description: `The window of the second flow over that of the
first, as rates, for 20 s: a zigzag towards the diagonal of equal shares.`,
  };
}

export const figures = { "explore-plane": draw };
