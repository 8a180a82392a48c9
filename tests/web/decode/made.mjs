// For the tests: raw files, byte by byte, so that each claim is about known bytes.

import { KIND } from "../../../web/program/structs.mjs";

/** @typedef {keyof typeof KIND} KindName */

export const EPOCH_NS = 3_000_000_000n;
export const NO_NS = 0xffff;

/**
 * Numbers as bytes.
 * @param {"u1" | "u2" | "u4" | "i4" | "u8" | "i8"} type
 * @param {...(number | bigint)} values
 */
export function pack(type, ...values) {
  const size = Number(type[1]);
  const made = new Uint8Array(size * values.length);
  const view = new DataView(made.buffer);
  values.forEach((value, i) => {
    for (let byte = 0; byte < size; byte++) {
      view.setUint8(i * size + byte, Number((BigInt(value) >> BigInt(8 * byte)) & 255n));
    }
  });
  return made;
}

/** @param {...Uint8Array} parts */
export function joined(...parts) {
  const made = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

/** @param {string} value */
export function text(value) {
  return new TextEncoder().encode(value);
}

/**
 * @param {Uint8Array} part
 * @param {number} [size] to a multiple of this
 */
export function padded(part, size = 8) {
  return joined(part, new Uint8Array((size - (part.length % size)) % size));
}

/**
 * @param {KindName | number} kind
 * @param {Uint8Array} body
 * @param {{ns?: number, atNs?: number}} [head]
 */
export function record(kind, body, { ns = NO_NS, atNs = 0 } = {}) {
  const number = typeof kind === "number" ? kind : KIND[kind];
  return padded(joined(pack("u2", number, ns), pack("u4", 16 + body.length), pack("i8", atNs), body));
}

/**
 * @param {string} path
 * @param {string} contents
 * @param {{phase?: number, ns?: number}} [head]
 */
export function file(path, contents, { phase = 0, ns = NO_NS } = {}) {
  return record("FILE", joined(pack("u4", phase, 0), text(`${path}\0${contents}`)), { ns });
}

/** @param {{reason?: number, lost?: number, atNs?: number}} [how] */
export function end({ reason = 0, lost = 0, atNs = 1e9 } = {}) {
  return record("END", joined(pack("u4", reason, 0), pack("u8", lost)), { atNs });
}

export function epoch(realNs = 0n) {
  return record("EPOCH", pack("i8", EPOCH_NS, realNs));
}

/** @returns {import("../../../web/decode/types.mjs").Manifest} */
export function manifest() {
  const experiment = {
    topology: { links: [] },
    flows: [],
    changes: [],
    probes: ["tcp_info", "tcp_probe", "queue", "drops"],
    capture: [],
  };
  return { experiment, layout: { hosts: {}, flows: [], interfaces: [], ways: [], commands: [] } };
}

/**
 * A flow of a layout.
 * @param {Partial<import("../../../web/decode/types.mjs").FlowLayout>} [some]
 */
export function flow(some = {}) {
  const ends = {
    src: "left",
    dst: "right",
    saddr: "10.0.1.1",
    daddr: "10.0.3.2",
    sport: 10000,
    dport: 20000,
  };
  return { id: 0, name: "left-right", protocol: "tcp", cc: "reno", start_s: 0, ...ends, ...some };
}
