// What chapter 05b's explorer shows of a run.

import { delay } from "../../../../labkit/charts/js/delay.mjs";
import { mean, most, sum } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodputs, numbers, only, texts } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const SINCE_S = 2;

export const widgets = {
  "explore-fair-queues": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(delay(result, { at: ["router", "right"] }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const line = byFlow(result).filter(({ came }) => came > SINCE_S);
  /** @param {boolean} call */
  const wait = (call) => mean(line.filter(({ flow }) => (flow === "call") === call).map(({ ms }) => ms));
  const count = only(result.table("backlog"), { host: "router", peer: "right" });
  return {
    Goodput: `${fixed(sum(goodputs(result)), 2)} Mbit/s`,
    "Mean wait": `uploads ${fixed(wait(false), 1)} ms, call ${fixed(wait(true), 1)} ms`,
    "Dropped, marked": `${most(numbers(count, "drops"))}, ${most(numbers(count, "marks"))}`,
  };
}

/**
 * The packets that left the router's queue, each with its flow: it is captured as it leaves.
 * @param {Result} result
 */
function byFlow(result) {
  const line = only(result.table("queue"), { host: "router", peer: "right" });
  const [came, left, waits] = ["enqueued_s", "dequeued_s", "wait_s"].map((name) => numbers(line, name));
  const order = [...left.keys()].filter((row) => !Number.isNaN(left[row]));
  order.sort((a, b) => left[a] - left[b]);
  const flows = texts(only(result.packetTable("router", "eth1"), { direction: "out" }), "flow");
  if (flows.length !== order.length) {
    throw new Error(`${order.length} packets left the queue, ${flows.length} were captured behind it`);
  }
  return order.map((row, i) => ({ came: came[row], ms: 1000 * waits[row], flow: flows[i] }));
}
