// Did a run record what a ledger is made of? Unlike labkit in Python this cannot have the run again.

import { CaptureMissingError } from "../../../decode/js/captured.mjs";
import { CLASSFUL, EARLY } from "../../../decode/js/facts.mjs";
import { ProbeMissingError } from "../../../decode/js/result.mjs";

/** @typedef {import("../../../decode/js/types.mjs").Layout} Layout */
/** @typedef {import("../../../decode/js/types.mjs").ExperimentSpec} ExperimentSpec */
/** @typedef {import("../../../decode/js/types.mjs").QueueSpec} QueueSpec */
/**
 * Probes by name, and the hosts whose packets are captured.
 * @typedef {{probes: string[], capture: string[]}} Needs
 */

/**
 * What a ledger is made of. Commands may talk to any host; how full a queue was that drops early, and whether one was
 * empty whose port had no link, its own events tell.
 * @param {ExperimentSpec} experiment
 * @param {Layout} layout
 * @returns {Needs}
 */
export function needs({ topology, changes }, { flows, commands, hosts }) {
  const probes = ["drops", "recovery"];
  if (flows.some((flow) => flow.protocol === "tcp")) probes.push("tcp_probe");
  const ways = topology.links.flatMap((link) => [link.forward, link.backward]);
  const queues = [...ways, ...changes.map((change) => change.set ?? {})].map((way) => way.queue ?? null);
  const some = queues.filter((queue) => queue !== null);
  const early = some.some(dropsEarly);
  if (early || topology.links.some((link) => link.nic_a)) probes.push("queue");
  if (early && some.some((queue) => CLASSFUL.includes(queue.kind))) probes.push("backlog");
  const ends = flows.flatMap((flow) => [flow.src, flow.dst]);
  if (commands.length > 0) ends.push(...Object.keys(hosts));
  return { probes, capture: [...new Set(ends)] };
}

/**
 * @param {QueueSpec} queue
 * @returns {boolean}
 */
function dropsEarly(queue) {
  return EARLY.includes(queue.kind) || (queue.classes ?? []).some((one) => dropsEarly(one.queue));
}

/**
 * @param {Needs} needed
 * @param {ExperimentSpec} experiment what was run
 * @throws {ProbeMissingError}
 * @throws {CaptureMissingError}
 */
export function requireRecorded({ probes, capture }, experiment) {
  const missing = probes.filter((probe) => !experiment.probes.includes(probe)).sort();
  if (missing.length > 0) {
    const names = missing.map((probe) => `"${probe}"`).join(", ");
    throw new ProbeMissingError(`${missing.join(", ")}: not recorded: run again with probes={${names}}`);
  }
  const whole = experiment.capture.filter((one) => one.interface === null).map((one) => one.host);
  const unseen = capture.filter((host) => !whole.includes(host));
  if (unseen.length > 0) {
    const names = unseen.map((host) => `"${host}"`).join(", ");
    throw new CaptureMissingError(`${unseen.join(", ")}: not captured: run again with capture=[${names}]`);
  }
}
