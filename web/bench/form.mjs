// What the form holds: texts, as typed. How an experiment's JSON is made of it: experiment.mjs; and read: reading.mjs.

import { DEFAULT_PROBES } from "./facts.mjs";
import { SHAPES } from "./shapes.mjs";

/** @typedef {Record<string, string>} Texts field -> what was typed; "" or nothing: not given */
/** @typedef {{kind: string, limit: string, options: string}} QueueForm kind "": none */
/** @typedef {{kind: string, texts: Texts}} LossForm kind "": none */
/** @typedef {{texts: Texts, queue: QueueForm, loss: LossForm}} WayForm */
/** @typedef {{a: string, b: string, mtu: string, forward: WayForm, backward: WayForm}} LinkForm */
/** @typedef {{kind: string, src: string, dst: string, texts: Texts}} FlowForm kind: of fields.mjs, FLOWS */
/**
 * shape: of the menu, with its numbers; kind "": none of them. sysctls: of all hosts, "name=value" on a line each.
 * capture: hosts whose packets are kept. switches: those of `hosts` that are switches, with their other fields, which are
 * kept as they came.
 * @typedef {{shape: {kind: string, numbers: number[]}, hosts: string[], links: LinkForm[], flows: FlowForm[],
 *   run: Texts, sysctls: string, probes: string[], capture: string[],
 *   switches: ReadonlyMap<string, Record<string, unknown>>}} Form
 */
/** @typedef {import("./shapes.mjs").Shape} Shape */
/** @typedef {import("./shapes.mjs").Role} Role */

/** What the page's figures and tables are made of. */
export const PROBES = [...DEFAULT_PROBES, "queue", "drops", "recovery", "retransmit"].sort();

/** Hosts, without being asked: what is kept of each packet takes memory, and a tab has little. */
const MOST_CAPTURED = 12;

/**
 * @param {Texts} [texts]
 * @param {string} [queue] its limit, in packets
 * @returns {WayForm}
 */
export function way(texts = {}, queue = "") {
  return {
    texts: { ...texts },
    queue: queue ? { kind: "pfifo", limit: queue, options: "" } : noQueue(),
    loss: { kind: "", texts: {} },
  };
}

/** @returns {QueueForm} */
export function noQueue() {
  return { kind: "", limit: "", options: "" };
}

/**
 * What a link is at first.
 * @param {Role} role
 * @returns {Omit<LinkForm, "a" | "b">}
 */
function usual(role) {
  const texts = { bottleneck: ["10mbit", "10ms"], access: ["100mbit", ""], link: ["10mbit", "5ms"] }[role];
  const [rate, delay] = texts;
  const length = role === "access" ? "1000" : "100";
  const each = () => way(delay ? { rate, delay } : { rate }, length);
  return { mtu: "", forward: each(), backward: each() };
}

/**
 * @param {string} src
 * @param {string} dst
 * @param {string} [kind]
 * @returns {FlowForm}
 */
export function flow(src, dst, kind = "tcp") {
  const texts = /** @type {Record<string, Texts>} */ ({
    tcp: { cc: "cubic", duration: "10s" },
    udp: { rate: "2mbit", duration: "10s" },
    pings: { count: "20", every: "500ms", wait: "1s" },
  })[kind];
  return { kind, src, dst, texts: { ...texts } };
}

/** @returns {Form} */
export function newForm() {
  return withShape(
    {
      shape: { kind: "", numbers: [] },
      hosts: [],
      links: [],
      flows: [],
      run: { seed: "1" },
      sysctls: "",
      probes: [...PROBES],
      capture: [],
      switches: new Map(),
    },
    "dumbbell",
    [1],
  );
}

/**
 * @param {string} kind
 * @returns {Shape}
 */
export function shapeNamed(kind) {
  const found = SHAPES.find((shape) => shape.kind === kind);
  if (found === undefined)
    throw new RangeError(`no shape ${kind}: there are ${SHAPES.map((s) => s.kind).join(", ")}`);
  return found;
}

/**
 * The form with another network. The settings of its bottleneck, and of what stands around it, go over to the new one;
 * flows go between the new one's ends.
 * @param {Form} form
 * @param {string} kind
 * @param {readonly number[]} numbers
 * @returns {Form}
 */
export function withShape(form, kind, numbers) {
  const shape = shapeNamed(kind);
  const { hosts, joints } = shape.make(...numbers);
  const roles = rolesOf(form);
  const links = joints.map(({ a, b, role }) => {
    const model = form.links[roles.indexOf(role)] ?? usual(role);
    return { ...structuredClone(model), a, b };
  });
  const ends = shape.ends(...numbers);
  const first = form.flows.length ? form.flows : [flow("", "")];
  const flows = Array.from({ length: Math.max(ends.length, first.length) }, (_, i) => {
    const [src, dst] = ends[i % ends.length];
    const { name, ...texts } = (first[i] ?? first[0]).texts;
    return { kind: (first[i] ?? first[0]).kind, texts, src, dst };
  });
  const kept = form.shape.kind === kind ? flows : flows.slice(0, Math.max(ends.length, 1));
  const captured = [...new Set(kept.flatMap(({ src, dst }) => [src, dst]))];
  const capture = captured.length > MOST_CAPTURED ? [] : captured;
  const switches = new Map();
  return { ...form, shape: { kind, numbers: [...numbers] }, hosts, links, flows: kept, capture, switches };
}

/**
 * The hosts that are no switches: what traffic goes between.
 * @param {Form} form
 */
export function endsOf({ hosts, switches }) {
  return hosts.filter((name) => !switches.has(name));
}

/**
 * The link that a sentence about the network names: its bottleneck, or the first one.
 * @param {Form} form
 */
export function mainLink(form) {
  return Math.max(0, rolesOf(form).indexOf("bottleneck"));
}

/**
 * What each link of a form is: of a network that no shape makes, each is one like another.
 * @param {Form} form
 * @returns {Role[]}
 */
export function rolesOf({ shape, links }) {
  if (!shape.kind) return links.map(() => "link");
  return shapeNamed(shape.kind)
    .make(...shape.numbers)
    .joints.map(({ role }) => role);
}
