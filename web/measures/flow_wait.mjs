// How long each flow's packets waited in the queue that held most: whose packet it was, its capture tells.

import { EmptyFigureError } from "../charts/figure.mjs";
import { mean } from "../charts/numpy_arithmetic.mjs";
import { fullest } from "../charts/queue_data.mjs";
import { numbersOf, textsOf } from "../charts/runs.mjs";
import { ordered } from "./values_by_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */

/**
 * @param {Result} result
 * @param {string} _name
 * @param {number} since
 * @returns {Rows}
 */
export function flowWait(result, _name, since) {
  const at = place(result);
  if (at === null) return new Map();
  const packets = result.packetTable(at[0], portOf(result, at));
  const directions = textsOf(packets, "direction");
  const flows = textsOf(packets, "flow").filter((_, row) => directions[row] === "out");
  const line = inOrder(result, at);
  if (flows.length !== line.length) return new Map();
  /** @type {Map<string, number[]>} */
  const waits = new Map();
  line.forEach(({ came, wait }, i) => {
    if (flows[i] === "" || came < since) return;
    waits.set(flows[i], [...(waits.get(flows[i]) ?? []), 1000 * wait]);
  });
  return ordered(result, new Map([...waits].map(([flow, mine]) => [flow, mean(mine)])));
}

/** @param {Result} result */
function place(result) {
  try {
    return fullest(result);
  } catch (error) {
    if (error instanceof EmptyFigureError) return null;
    throw error;
  }
}

/**
 * The device at which a queue stands.
 * @param {Result} result
 * @param {import("../charts/queue_data.mjs").Place} at
 */
function portOf(result, [host, peer]) {
  const table = result.table("interfaces");
  const [hosts, peers, ports] = ["host", "peer", "interface"].map((name) => textsOf(table, name));
  return ports[hosts.findIndex((one, row) => one === host && peers[row] === peer)];
}

/**
 * The packets that left a queue, as they left it.
 * @param {Result} result
 * @param {import("../charts/queue_data.mjs").Place} at
 */
function inOrder(result, [host, peer]) {
  const table = result.table("queue");
  const [hosts, peers] = [textsOf(table, "host"), textsOf(table, "peer")];
  const [came, left, waits] = ["enqueued_s", "dequeued_s", "wait_s"].map((name) => numbersOf(table, name));
  return [...left.keys()]
    .filter((row) => hosts[row] === host && peers[row] === peer && !Number.isNaN(left[row]))
    .sort((a, b) => left[a] - left[b])
    .map((row) => ({ came: came[row], wait: waits[row] }));
}
