// An experiment as one would write it with labkit in Python. Where the form does not hold all of it, its JSON is what
// is written down.

import { given } from "./experiment.mjs";
import { FLOWS, LOSSES, ofKind, RUN_FIELDS } from "./fields.mjs";
import { networkCode } from "./network_code.mjs";
import { settings } from "./options.mjs";
import { call, literal, written } from "./python.mjs";
import { formOf } from "./reading.mjs";

/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */
/** @typedef {import("./python.mjs").Expression} Expression */

/**
 * Python that makes the experiment, as `exp`; nothing is run.
 * @param {import("./experiment.mjs").JsonObject} json
 * @returns {string}
 */
export function asCode(json) {
  const { form, beyond } = formOf(json);
  return beyond.length ? fromJson(json) : fromForm(form);
}

/** @param {import("./experiment.mjs").JsonObject} json */
function fromJson(json) {
  const text = JSON.stringify(json, null, 2);
  return `from labkit import Experiment\n\nexp = Experiment.from_json(r"""\n${text}\n""")\n`;
}

/** @param {Form} form */
function fromForm(form) {
  /** @type {[string, Expression][]} */
  const named = [];
  if (form.flows.length) named.push(["flows", { list: form.flows.map(flowCode) }]);
  for (const [name, value] of Object.entries(given(form.run, RUN_FIELDS))) named.push([name, literal(value)]);
  const sysctls = settings(form.sysctls);
  if (Object.keys(sysctls).length) named.push(["sysctls", literal(sysctls)]);
  named.push(["probes", form.probes.length ? literal([...form.probes].sort()) : "[]"]);
  if (form.capture.length) named.push(["capture", literal(form.capture)]);
  const text = `exp = ${written(call("Experiment", [networkCode(form)], named), 0, 6)}\n`;
  return `from labkit import ${used(text).join(", ")}\n\n${text}`;
}

const NAMES = [
  ...["dumbbell", "pair", "parking_lot", "star", "tree"],
  ...["Experiment", "Flow", "Link", "Pings", "Queue", "Switch", "Topology"],
  ...LOSSES.map(({ python }) => python),
];

/**
 * Names of labkit that are called. A text of the reader's own may look like a call: an import too much does no harm.
 * @param {string} text
 */
function used(text) {
  return NAMES.filter((name) => new RegExp(`(?<![\\w.])${name}\\(`).test(text)).sort();
}

/**
 * @param {FlowForm} flow
 * @returns {Expression}
 */
function flowCode({ kind, src, dst, texts }) {
  const fields = Object.entries(given(texts, ofKind(FLOWS, kind)?.fields ?? []));
  if (kind === "udp") fields.unshift(["protocol", "udp"]);
  const named = fields.map(([name, value]) => /** @type {[string, Expression]} */ ([name, literal(value)]));
  return call(kind === "pings" ? "Pings" : "Flow", [literal(src), literal(dst)], named);
}

/** What a cell adds to the experiment to show what the page shows. */
export const RUN_CODE = `result = run(exp)
result.flows`;

/** @type {readonly string[]} cells after it, one figure or table each */
export const LOOK_CODE = [
  "result.charts.cwnd()",
  "result.charts.rtt()",
  "result.charts.queue()",
  "result.charts.goodput(sacked=True)",
  "result.ledger()",
];

/** The film of packets; of what was captured. */
export const PLAYER_CODE = "result.player()";
