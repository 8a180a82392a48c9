// Netlink messages and their attributes. What is in them, the other modules know.

import { DUMP_OUT } from "../program/structs.mjs";
import { RawFormatError } from "./bytes.mjs";

/** @typedef {import("./bytes.mjs").Bytes} Bytes */
/** @typedef {import("./raw.mjs").Records} Records */
/** @typedef {{at: number, size: number}} Place of an attribute's contents; size 0: there is none */

const HEADER = 16; // struct nlmsghdr
const ATTRIBUTE = 4; // struct nlattr
const TYPE = 0x3fff; // of an attribute, without its flags

/**
 * A message: of which phase, in which namespace, when (ns since the epoch); where it begins, its size with its
 * header.
 * @typedef {{phase: number, ns: number, atNs: number, offset: number, size: number}} Message
 */

/**
 * Each netlink message of a type that the kernel gave for a dump, in the order of the file. Of several damages the one
 * is named that comes after the fewest messages of its record, as labkit's Python does.
 * @param {Records} records
 * @param {number} kind
 * @param {number} [phase] only of this one
 * @returns {Message[]}
 * @throws {RawFormatError}
 */
export function messages(records, kind, phase) {
  const { bytes } = records;
  /** @type {Message[]} */
  const found = [];
  /** @type {{step: number, at: number} | null} */
  let fault = null;
  for (const payload of records.heads("NETLINK")) {
    const its = bytes.u4(payload + DUMP_OUT.at.phase);
    if (phase !== undefined && its !== phase) continue;
    const end = records.end(payload);
    let at = payload + DUMP_OUT.size;
    for (let step = 0; at + HEADER <= end; step++) {
      const size = bytes.u4(at);
      if (size < HEADER || size > end - at) {
        if (fault === null || step < fault.step) fault = { step, at };
        break;
      }
      if (bytes.u2(at + 4) === kind) {
        found.push({ phase: its, ns: records.ns(payload), atNs: records.atNs(payload), offset: at, size });
      }
      at += (size + 3) & ~3;
    }
  }
  if (fault !== null) throw new RawFormatError("a netlink message without end", fault.at);
  return found;
}

/**
 * The contents of each wanted attribute between start and end; of several of a type the last.
 * @param {Bytes} bytes
 * @param {number} start
 * @param {number} end
 * @param {readonly number[]} wanted types
 * @returns {Place[]} in the order of `wanted`
 */
export function nested(bytes, start, end, wanted) {
  const found = wanted.map(() => ({ at: 0, size: 0 }));
  let at = start;
  while (at + ATTRIBUTE <= end) {
    const size = bytes.u2(at);
    if (size < ATTRIBUTE || size > end - at) break;
    const which = wanted.indexOf(bytes.u2(at + 2) & TYPE);
    if (which >= 0) found[which] = { at: at + ATTRIBUTE, size: size - ATTRIBUTE };
    at += (size + 3) & ~3;
  }
  return found;
}

/**
 * The contents of attributes within attributes, each within the one before.
 * @param {Bytes} bytes
 * @param {Place} outer
 * @param {...number} types
 * @returns {Place}
 */
export function within(bytes, outer, ...types) {
  return types.reduce((place, type) => nested(bytes, place.at, place.at + place.size, [type])[0], outer);
}
