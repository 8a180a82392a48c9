// An experiment's JSON, labkit's own or written by hand, as the form: the other way from experiment.mjs. Whatever the
// form has no field for is named, so that nothing is left out in silence.

import { QUEUES, WAY } from "./facts.mjs";
import { FLOWS, LOSSES, ofKind, RUN_FIELDS, WAY_FIELDS } from "./fields.mjs";
import { noQueue, PROBES } from "./form.mjs";
import { line } from "./options.mjs";
import { Reader } from "./reader.mjs";
import { shapeOf } from "./recognised.mjs";
import { textOf } from "./units.mjs";

/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */
/** @typedef {import("./form.mjs").LinkForm} LinkForm */
/** @typedef {import("./form.mjs").LossForm} LossForm */
/** @typedef {import("./form.mjs").QueueForm} QueueForm */
/** @typedef {import("./form.mjs").WayForm} WayForm */
/** @typedef {Record<string, unknown>} Given */

/**
 * @param {unknown} json
 * @returns {{form: Form, beyond: string[]}} beyond: paths of what the form cannot hold
 */
export function formOf(json) {
  const reader = new Reader();
  const given = reader.object(json, "experiment");
  const topology = reader.object(given.topology ?? {}, "topology");
  /** @type {Map<string, Given>} */
  const switches = new Map();
  const nodes = reader.list(topology.hosts, "topology.hosts");
  const hosts = nodes.map((host, i) => readHost(reader, host, i, switches));
  const links = reader.list(topology.links, "topology.links").map((link, i) => readLink(reader, link, i));
  const flows = reader.list(given.flows, "flows").map((flow, i) => readFlow(reader, flow, i));
  const run = { seed: "1", ...reader.texts(given, RUN_FIELDS, "experiment") };
  const known = [
    ...RUN_FIELDS.map(({ name }) => name),
    "version",
    "topology",
    "flows",
    "probes",
    "capture",
    "sysctls",
  ];
  reader.others(topology, ["hosts", "links"], "topology");
  reader.others(withoutUsual(given), known, "");
  const sysctls = line(reader.object(given.sysctls ?? {}, "sysctls"), "\n");
  if (sysctls === null) reader.beyond.push("sysctls");
  const form = {
    shape: (switches.size === 0 && shapeOf(hosts, links)) || { kind: "", numbers: [] },
    hosts,
    links,
    flows: withoutNames(flows),
    run,
    sysctls: sysctls ?? "",
    probes: given.probes === undefined ? [...PROBES] : reader.list(given.probes, "probes").map(String).sort(),
    capture: reader.list(given.capture, "capture").map((one, i) => readCapture(reader, one, i)),
    switches,
  };
  return { form, beyond: [...new Set(reader.beyond)] };
}

/** @type {Record<string, unknown>} */
const USUAL = {
  wall_limit: 600,
  output_limit: 100e6,
  capture_limit: 2e9,
  trace_limit: 2e9,
  raw_limit: 4e9,
  shaken: 0,
};

/**
 * Without limits that are what they are unless given.
 * @param {Given} given
 * @returns {Given}
 */
function withoutUsual(given) {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => USUAL[name] !== value));
}

/**
 * @param {Reader} reader
 * @param {unknown} host
 * @param {number} i
 * @param {Map<string, Given>} switches to which it is added if it is one
 */
function readHost(reader, host, i, switches) {
  if (typeof host === "string") return host;
  const path = `topology.hosts[${i}]`;
  const given = reader.object(host, path);
  const name = reader.name(given.name, path);
  if (given.kind !== "switch") reader.others(given, ["name"], path);
  else {
    const { kind: _, name: __, ...fields } = given;
    reader.others(fields, ["stp", "vlan"], path);
    switches.set(name, fields);
  }
  return name;
}

const WAY_NAMES = [...WAY_FIELDS.map(({ name }) => name), "queue", "loss"];

/**
 * @param {Reader} reader
 * @param {unknown} link
 * @param {number} i
 * @returns {LinkForm}
 */
function readLink(reader, link, i) {
  const path = `topology.links[${i}]`;
  const given = reader.object(link, path);
  const shared = Object.fromEntries(Object.entries(given).filter(([name]) => WAY_NAMES.includes(name)));
  reader.others(given, ["a", "b", "mtu", "forward", "backward", ...WAY_NAMES], path);
  const ways = ["forward", "backward"].map((name) => {
    const own = reader.object(given[name] ?? {}, `${path}.${name}`);
    return readWay(reader, { ...shared, ...own }, `${path}.${name}`);
  });
  return {
    a: reader.name(given.a, `${path}.a`),
    b: reader.name(given.b, `${path}.b`),
    mtu: given.mtu === 1500 ? "" : textOf(given.mtu, "whole"),
    forward: ways[0],
    backward: ways[1],
  };
}

/**
 * @param {Reader} reader
 * @param {Given} given
 * @param {string} path
 * @returns {WayForm}
 */
function readWay(reader, given, path) {
  reader.others(given, WAY_NAMES, path);
  return {
    texts: reader.texts(given, WAY_FIELDS, path),
    queue: readQueue(reader, given.queue ?? WAY.queue, `${path}.queue`),
    loss: readLoss(reader, given.loss ?? WAY.loss, `${path}.loss`),
  };
}

/**
 * @param {Reader} reader
 * @param {unknown} value
 * @param {string} path
 * @returns {QueueForm}
 */
function readQueue(reader, value, path) {
  if (value === null) return noQueue();
  if (typeof value === "string") {
    if (/^\d+p$/.test(value)) return { kind: "pfifo", limit: value.slice(0, -1), options: "" };
    if (/^\d/.test(value)) return { kind: "bfifo", limit: value, options: "" };
    if (!Object.hasOwn(QUEUES, value)) reader.beyond.push(path);
    return { kind: value, limit: "", options: "" };
  }
  const given = reader.object(value, path);
  const kind = reader.name(given.kind, `${path}.kind`);
  const unit = Object.hasOwn(QUEUES, kind) ? QUEUES[kind].limit : null;
  if (!Object.hasOwn(QUEUES, kind)) reader.beyond.push(`${path}.kind`);
  reader.others(given, ["kind", "options", ...(unit ? [unit] : [])], path);
  const limit = unit ? textOf(given[unit], unit === "packets" ? "packets" : "size") : "";
  const options = line(reader.object(given.options ?? {}, `${path}.options`));
  if (options === null) reader.beyond.push(`${path}.options`);
  return { kind, limit, options: options ?? "" };
}

/**
 * @param {Reader} reader
 * @param {unknown} value
 * @param {string} path
 * @returns {LossForm}
 */
function readLoss(reader, value, path) {
  if (value === null) return { kind: "", texts: {} };
  if (typeof value !== "object") return { kind: "random", texts: { p: textOf(value, "share") } };
  const given = reader.object(value, path);
  const kind = given.kind === undefined ? "random" : reader.name(given.kind, `${path}.kind`);
  const fields = ofKind(LOSSES, kind)?.fields;
  if (fields === undefined) reader.beyond.push(`${path}.kind`);
  reader.others(given, ["kind", ...(fields ?? []).map(({ name }) => name)], path);
  return { kind, texts: reader.texts(given, fields ?? [], path) };
}

/**
 * @param {Reader} reader
 * @param {unknown} value
 * @param {number} i
 * @returns {FlowForm}
 */
function readFlow(reader, value, i) {
  const path = `flows[${i}]`;
  const given = reader.object(value, path);
  const kind = String(given.kind ?? "flow") === "flow" ? String(given.protocol ?? "tcp") : String(given.kind);
  const fields = ofKind(FLOWS, kind)?.fields;
  if (fields === undefined) reader.beyond.push(`${path}.kind`);
  const usual = { nodelay: false, read_after: 0 };
  const rest = Object.fromEntries(
    Object.entries(given).filter(([name, held]) => /** @type {Given} */ (usual)[name] !== held),
  );
  reader.others(rest, ["kind", "protocol", "src", "dst", ...(fields ?? []).map(({ name }) => name)], path);
  const texts = reader.texts(given, fields ?? [], path);
  if (kind === "tcp") texts.cc ??= "cubic";
  const [src, dst] = [reader.name(given.src, `${path}.src`), reader.name(given.dst, `${path}.dst`)];
  return { kind, src, dst, texts };
}

/**
 * @param {Reader} reader
 * @param {unknown} value
 * @param {number} i
 */
function readCapture(reader, value, i) {
  const path = `capture[${i}]`;
  if (typeof value === "string") {
    if (value.includes(".")) reader.beyond.push(path);
    return value;
  }
  const given = reader.object(value, path);
  reader.others(given, ["host"], path);
  return reader.name(given.host, path);
}

/**
 * Without the names that labkit would give anyway: "src-dst", then "src-dst#2" (labkit/spec/experiment.py).
 * @param {FlowForm[]} flows
 */
function withoutNames(flows) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const usual = flows.every(({ src, dst, texts }) => {
    const base = `${src}-${dst}`;
    const number = numbers.get(base) ?? 1;
    numbers.set(base, number + 1);
    return [undefined, number === 1 ? base : `${base}#${number}`].includes(texts.name);
  });
  if (!usual) return flows;
  return flows.map(({ texts, ...flow }) => {
    const { name, ...others } = texts;
    return { ...flow, texts: others };
  });
}
