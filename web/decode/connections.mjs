// Captured packets as a table: whose each one is, its headers, sequence numbers that count from the SYN.

import { addressNumber, dotted } from "./bytes.mjs";
import { checksums, STATES } from "./checksums.mjs";
import { Directions } from "./directions.mjs";
import { dissect, ICMP, SACK_BLOCKS, TCP, UDP } from "./headers.mjs";
import { related, windows } from "./relative_sequence.mjs";
import { each, inSeconds, ints, named, sorted, Table } from "./table.mjs";

/** @typedef {import("./frames.mjs").Frames} Frames */
/** @typedef {import("./headers.mjs").Headers} Headers */
/** @typedef {import("./directions.mjs").Direction} Direction */
/** @typedef {import("./table.mjs").Column} Column */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */

const LETTERS = "FSRPAUECN";
/** @type {Record<number, string>} */
const PROTOCOLS = { [ICMP]: "icmp", [TCP]: "tcp", [UDP]: "udp" };
const WAYS = ["data", "ack"];
const NO_FLOW = [-1, -1];

/**
 * One row per frame.
 * @param {Frames} frames
 * @param {ReadonlyMap<number, string>} interfaces index -> name
 * @param {readonly FlowLayout[]} flows
 * @param {{checked?: boolean}} [options] checked: false leaves the checksums alone, and their column out
 */
export function packetTable(frames, interfaces, flows, { checked = true } = {}) {
  const headers = dissect(frames);
  const directions = new Directions(headers);
  const { number, list } = directions;
  const { seq, ack, left, right } = related(headers, directions);
  const names = sorted(new Set(interfaces.values()));
  const places = new Map([...interfaces].map(([index, name]) => [index, names.indexOf(name)]));
  /** @type {Record<string, Column>} */
  const columns = {
    time_s: inSeconds(frames.atNs),
    interface: named(
      Int32Array.from(frames.interface, (index) => places.get(index) ?? 0),
      names,
    ),
    direction: named(Int32Array.from(frames.outgoing), ["in", "out"]),
    ...flowOf(directions, flows),
    src: spread(
      number,
      list.map(({ src }) => (src < 0 ? null : dotted(src))),
    ),
    dst: spread(
      number,
      list.map(({ dst }) => (dst < 0 ? null : dotted(dst))),
    ),
    protocol: spread(number, list.map(protocolOf)),
    sport: small(headers.sport),
    dport: small(headers.dport),
    ip_id: small(headers.ipId),
    seq: ints(seq),
    ack: ints(ack),
    flags: letters(headers.flags),
    window: ints(windows(headers, directions)),
    sacks: small(headers.sacks),
  };
  for (let i = 0; i < SACK_BLOCKS; i++) {
    columns[`sack${i + 1}_left`] = ints(left[i]);
    columns[`sack${i + 1}_right`] = ints(right[i]);
  }
  columns.tsval = ints(headers.tsval);
  columns.tsecr = ints(headers.tsecr);
  columns.payload = small(headers.payload.map((bytes) => Math.max(bytes, 0)));
  columns.length = small(frames.size);
  columns.captured = small(frames.captured);
  if (checked) columns.checksum = named(checksums(frames, headers), STATES);
  return new Table(columns);
}

/**
 * The name of each packet's flow and which way it goes. A flow with port 0 has clients of any port.
 * @param {Directions} directions
 * @param {readonly FlowLayout[]} flows
 */
function flowOf({ number, list }, flows) {
  const names = [...new Set(flows.map((flow) => flow.name))];
  /** @type {Map<string, number[]>} */
  const known = new Map();
  for (const { name, saddr, daddr, sport, dport } of flows) {
    const near = `${addressNumber(saddr)} ${sport}`;
    const far = `${addressNumber(daddr)} ${dport}`;
    known.set(`${near} ${far}`, [names.indexOf(name), 0]);
    known.set(`${far} ${near}`, [names.indexOf(name), 1]);
  }
  const found = list.map(({ src, sport, dst, dport }) => {
    const tries = [`${src} ${sport} ${dst} ${dport}`, `${src} 0 ${dst} ${dport}`, `${src} ${sport} ${dst} 0`];
    return tries.map((ends) => known.get(ends)).find((ends) => ends !== undefined) ?? NO_FLOW;
  });
  return {
    flow: named(
      number.map((direction) => found[direction][0]),
      names,
    ),
    way: named(
      number.map((direction) => found[direction][1]),
      WAYS,
    ),
  };
}

/** @param {Float64Array} values of 32 bits */
function small(values) {
  return ints(Int32Array.from(values));
}

/** @param {Direction} direction */
function protocolOf({ protocol }) {
  return protocol < 0 ? null : (PROTOCOLS[protocol] ?? String(protocol));
}

/**
 * Of each packet the text of its direction.
 * @param {Int32Array} number
 * @param {readonly (string | null)[]} values
 * @returns {Column}
 */
function spread(number, values) {
  const column = each(values);
  return named(
    number.map((direction) => column.values[direction]),
    column.names,
  );
}

/**
 * Letters of FSRPAUECN, as scapy has them.
 * @param {Float64Array} values -1: none
 * @returns {Column}
 */
function letters(values) {
  /** @type {Map<number, string>} */
  const known = new Map();
  for (const value of new Set(values)) {
    const bits = Math.max(value, 0);
    known.set(value, [...LETTERS].filter((_, bit) => (bits >> bit) & 1).join(""));
  }
  return each(Array.from(values, (value) => /** @type {string} */ (known.get(value))));
}
