// Whose an event of TCP is: the flow and the side, by its ports.

import { compared, named } from "./table.mjs";

/** @typedef {import("./trace.mjs").Occurrences} Occurrences */
/** @typedef {import("./table.mjs").Names} Names */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */

const SIDES = ["sender", "receiver", "unknown"];
const UNKNOWN = 2;
const PORTS = 65536;

/**
 * The flow and the side of each event: its ports and their reverse name a flow, anything else is named by its
 * addresses, "local>remote".
 * @param {Occurrences} rows with the fields sport, dport, saddr and daddr
 * @param {readonly FlowLayout[]} flows
 * @returns {{flow: Names, side: Names}}
 */
export function byFlow(rows, flows) {
  const { names, known } = ends(flows);
  const sport = rows.numbers("sport");
  const dport = rows.numbers("dport");
  const codes = new Int32Array(rows.length);
  const sides = new Int32Array(rows.length).fill(UNKNOWN);
  /** @type {number[]} */
  const others = [];
  for (let i = 0; i < rows.length; i++) {
    const found = known.get(sport[i] * PORTS + dport[i]);
    if (found === undefined) others.push(i);
    else [codes[i], sides[i]] = found;
  }
  return {
    flow: named(codes, [...names, ...strangers(rows, others, codes, names.length)]),
    side: named(sides, SIDES),
  };
}

/**
 * Ports of both directions of each flow -> the number of its name, and the side that sends. Of a flow whose two
 * ends both send data either is a sender.
 * @param {readonly FlowLayout[]} flows
 */
function ends(flows) {
  /** @type {Map<number, string>} */
  const senders = new Map();
  for (const flow of flows) {
    senders.set(flow.sport * PORTS + flow.dport, flow.name);
    if (flow.both_send) senders.set(flow.dport * PORTS + flow.sport, flow.name);
  }
  const names = [...new Set(senders.values())];
  /** @type {Map<number, [number, number]>} */
  const known = new Map();
  for (const [key, name] of senders) {
    const back = (key % PORTS) * PORTS + Math.floor(key / PORTS);
    for (const [ports, side] of [
      [key, 0],
      [back, 1],
    ]) {
      const code = names.indexOf(name);
      const before = known.get(ports);
      const first = before === undefined || code < before[0] || (code === before[0] && side < before[1]);
      if (first) known.set(ports, [code, side]);
    }
  }
  return { names, known };
}

/**
 * The names of connections that are no flow's, in order; fills in their codes, from `first` on.
 * @param {Occurrences} rows
 * @param {readonly number[]} others
 * @param {Int32Array} codes
 * @param {number} first
 */
function strangers(rows, others, codes, first) {
  if (others.length === 0) return [];
  const [local, remote] = [rows.addresses("saddr"), rows.addresses("daddr")];
  /** @type {Map<string, [string, string]>} */
  const pairs = new Map(others.map((i) => [`${local[i]}>${remote[i]}`, [local[i], remote[i]]]));
  const names = [...pairs.entries()]
    .sort(([, [a, b]], [, [c, d]]) => compared(a, c) || compared(b, d))
    .map(([name]) => name);
  const numbers = new Map(names.map((name, number) => [name, first + number]));
  for (const i of others) codes[i] = /** @type {number} */ (numbers.get(`${local[i]}>${remote[i]}`));
  return names;
}
