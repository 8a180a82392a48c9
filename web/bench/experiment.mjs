// The form as an experiment: labkit's own JSON, quantities as they were typed ("10mbit"), which labkit reads and, where
// they are wrong, says what would be right. Nothing here decides what is right.

import { QUEUES } from "./facts.mjs";
import { FLOWS, LOSSES, ofKind, RUN_FIELDS, WAY_FIELDS } from "./fields.mjs";
import { settings } from "./options.mjs";
import { typedValue } from "./units.mjs";

/** @typedef {import("./fields.mjs").Field} Field */
/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */
/** @typedef {import("./form.mjs").LinkForm} LinkForm */
/** @typedef {import("./form.mjs").LossForm} LossForm */
/** @typedef {import("./form.mjs").QueueForm} QueueForm */
/** @typedef {import("./form.mjs").Texts} Texts */
/** @typedef {import("./form.mjs").WayForm} WayForm */
/** @typedef {null | boolean | number | string | Json[] | {[name: string]: Json}} Json */
/** @typedef {{[name: string]: Json}} JsonObject */

/**
 * @param {Form} form
 * @returns {JsonObject}
 */
export function experimentOf(form) {
  /** @type {JsonObject} */
  const made = {
    version: 1,
    topology: { hosts: form.hosts.map((name) => hostOf(form, name)), links: form.links.map(linkOf) },
    flows: form.flows.map(flowOf),
    ...given(form.run, RUN_FIELDS),
    probes: [...form.probes].sort(),
    capture: form.capture.map((host) => ({ host })),
  };
  const sysctls = settings(form.sysctls);
  if (Object.keys(sysctls).length) made.sysctls = sysctls;
  return made;
}

/**
 * @param {Form} form
 * @param {string} name
 */
function hostOf({ switches }, name) {
  const fields = /** @type {JsonObject | undefined} */ (switches.get(name));
  return fields === undefined ? name : { kind: "switch", name, ...fields };
}

/**
 * The fields that something was typed into.
 * @param {Texts} texts
 * @param {readonly Field[]} fields
 * @returns {JsonObject}
 */
export function given(texts, fields) {
  /** @type {JsonObject} */
  const made = {};
  for (const { name, quantity } of fields) {
    const text = Object.hasOwn(texts, name) ? texts[name].trim() : "";
    if (text !== "") made[name] = /** @type {Json} */ (typedValue(text, quantity));
  }
  return made;
}

/**
 * @param {LinkForm} link
 * @returns {JsonObject}
 */
function linkOf({ a, b, mtu, forward, backward }) {
  /** @type {JsonObject} */
  const made = { a, b };
  if (mtu.trim()) made.mtu = /** @type {Json} */ (typedValue(mtu, "whole"));
  for (const [name, way] of /** @type {const} */ ([
    ["forward", forward],
    ["backward", backward],
  ])) {
    const fields = wayOf(way);
    if (Object.keys(fields).length) made[name] = fields;
  }
  return made;
}

/**
 * @param {WayForm} way
 * @returns {JsonObject}
 */
export function wayOf(way) {
  const made = given(way.texts, WAY_FIELDS);
  if (way.queue.kind) made.queue = queueOf(way.queue);
  if (way.loss.kind) made.loss = lossOf(way.loss);
  return made;
}

/**
 * @param {QueueForm} queue
 * @returns {JsonObject}
 */
function queueOf({ kind, limit, options }) {
  /** @type {JsonObject} */
  const made = { kind };
  const unit = QUEUES[kind]?.limit ?? "packets";
  const quantity = unit === "packets" ? "packets" : "size";
  if (limit.trim()) made[unit] = /** @type {Json} */ (typedValue(limit, quantity));
  const chosen = settings(options);
  if (Object.keys(chosen).length) made.options = chosen;
  return made;
}

/**
 * @param {LossForm} loss
 * @returns {JsonObject}
 */
function lossOf({ kind, texts }) {
  return { kind, ...given(texts, ofKind(LOSSES, kind)?.fields ?? []) };
}

/**
 * @param {FlowForm} flow
 * @returns {JsonObject}
 */
function flowOf({ kind, src, dst, texts }) {
  const fields = given(texts, ofKind(FLOWS, kind)?.fields ?? []);
  if (kind === "udp") return { src, dst, protocol: "udp", ...fields };
  if (kind === "tcp") return { src, dst, ...fields };
  return { kind, src, dst, ...fields };
}

/**
 * JSON without choice: names in order, no spaces.
 * @param {Json} json
 * @returns {string}
 */
export function canonical(json) {
  if (Array.isArray(json)) return `[${json.map(canonical).join(",")}]`;
  if (json === null || typeof json !== "object") return JSON.stringify(json);
  const parts = Object.keys(json)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(json[name])}`);
  return `{${parts.join(",")}}`;
}
