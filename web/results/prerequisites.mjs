// Did a run record what a ledger is made of? Unlike labkit in Python this cannot have the run again.

import { CLASSFUL, EARLY } from "../decode/facts.mjs";
import { CaptureMissingError } from "./captured.mjs";
import { ProbeMissingError } from "./result.mjs";

/** @typedef {import("../decode/types.mjs").Layout} Layout */
/** @typedef {import("../decode/types.mjs").ExperimentSpec} ExperimentSpec */
/** @typedef {import("../decode/types.mjs").QueueSpec} QueueSpec */
/**
 * Probes by name, and the hosts whose packets are captured.
 * @typedef {{probes: string[], capture: string[]}} Needs
 */

/**
 * What a ledger is made of, and what it may ask for beside that, for who runs an experiment to have its ledger.
 * @param {ExperimentSpec} experiment
 * @param {Layout} layout
 * @returns {Needs}
 */
export function needs(experiment, layout) {
  const { probes, capture } = always(layout);
  return { probes: [...probes, ...perhaps(experiment)], capture };
}

/**
 * What every ledger is made of. Commands may talk to any host.
 * @param {Layout} layout
 * @returns {Needs}
 */
export function always({ flows, commands, hosts }) {
  const probes = ["drops", "recovery"];
  if (flows.some((flow) => flow.protocol === "tcp")) probes.push("tcp_probe");
  const ends = flows.flatMap((flow) => [flow.src, flow.dst]);
  if (commands.length > 0) ends.push(...Object.keys(hosts).filter((name) => !hosts[name].forwards));
  return { probes, capture: [...new Set(ends)] };
}

/**
 * How full a queue was that drops early, and whether one was empty whose port had no link, its own events tell; how full
 * a class was, its samples.
 * @param {ExperimentSpec} experiment
 */
function perhaps({ topology, changes }) {
  const ways = topology.links.flatMap((link) => [link.forward, link.backward]);
  const queues = [...ways, ...changes.map((change) => change.set ?? {})].map((way) => way.queue ?? null);
  const some = queues.filter((queue) => queue !== null);
  const early = some.some(dropsEarly);
  const probes = early || topology.links.some((link) => link.nic_a) ? ["queue"] : [];
  return early && some.some((queue) => CLASSFUL.includes(queue.kind)) ? [...probes, "backlog"] : probes;
}

/**
 * @param {QueueSpec} queue
 * @returns {boolean}
 */
function dropsEarly(queue) {
  return EARLY.includes(queue.kind) || (queue.classes ?? []).some((one) => dropsEarly(one.queue));
}

/**
 * @param {ExperimentSpec} experiment what was run
 * @param {Needs} needed
 * @param {Needs} wanted the same and more: an error names all of it that is missing
 * @throws {ProbeMissingError}
 * @throws {CaptureMissingError}
 */
export function requireRecorded(experiment, needed, wanted) {
  const [lacking, missing] = [needed, wanted].map(({ probes }) =>
    probes.filter((probe) => !experiment.probes.includes(probe)).sort(),
  );
  if (lacking.length > 0) {
    const names = missing.map((probe) => `"${probe}"`).join(", ");
    throw new ProbeMissingError(`${missing.join(", ")}: not recorded: run again with probes={${names}}`);
  }
  const whole = experiment.capture.filter((one) => one.interface === null).map((one) => one.host);
  const unseen = needed.capture.filter((host) => !whole.includes(host));
  if (unseen.length > 0) {
    const names = unseen.map((host) => `"${host}"`).join(", ");
    throw new CaptureMissingError(`${unseen.join(", ")}: not captured: run again with capture=[${names}]`);
  }
}
