// Captured frames: where each one is in the raw file, and when it passed which interface.

import { CAPTURED_OUT, PACKET_OUT, PACKETS_OUT } from "../program/structs.mjs";
import { RawFormatError } from "./bytes.mjs";
import { order } from "./table.mjs";

/** @typedef {import("./bytes.mjs").Bytes} Bytes */
/** @typedef {import("./raw.mjs").Records} Records */

const AT_ONCE = 1 << 16; // frames of which an error names the first record

/** @type {readonly ("atNs" | "interface" | "outgoing" | "offset" | "captured" | "size")[]} */
const COLUMNS = ["atNs", "interface", "outgoing", "offset", "captured", "size"];

/**
 * Frames in the order of time: arrays of one length. atNs: since the epoch; offset, captured: the bytes kept, in
 * `bytes`; size: on the wire; outgoing: 1, its own host sent it.
 */
export class Frames {
  /**
   * @param {Bytes} bytes
   * @param {number} length how many
   */
  constructor(bytes, length) {
    this.bytes = bytes;
    this.length = length;
    this.atNs = new Float64Array(length);
    this.interface = new Float64Array(length);
    this.outgoing = new Uint8Array(length);
    this.offset = new Float64Array(length);
    this.captured = new Float64Array(length);
    this.size = new Float64Array(length);
  }

  /**
   * Some of them.
   * @param {ArrayLike<number>} which
   */
  pick(which) {
    const found = new Frames(this.bytes, which.length);
    for (let i = 0; i < which.length; i++) {
      const from = which[i];
      found.atNs[i] = this.atNs[from];
      found.interface[i] = this.interface[from];
      found.outgoing[i] = this.outgoing[from];
      found.offset[i] = this.offset[from];
      found.captured[i] = this.captured[from];
      found.size[i] = this.size[from];
    }
    return found;
  }

  /**
   * The ones and then the others, of the same file.
   * @param {Frames} first
   * @param {Frames} second
   */
  static joined(first, second) {
    const found = new Frames(first.bytes, first.length + second.length);
    for (const name of COLUMNS) {
      found[name].set(first[name]);
      found[name].set(second[name], first.length);
    }
    return found;
  }

  /**
   * What was kept of one frame.
   * @param {number} i
   */
  data(i) {
    return this.bytes.data.subarray(this.offset[i], this.offset[i] + this.captured[i]);
  }
}

/**
 * All frames of a run, of all interfaces.
 * @param {Records} records
 * @throws {RawFormatError}
 */
export function readFrames(records) {
  const { bytes } = records;
  const places = records.heads("PACKETS");
  const counts = places.map((at) => bytes.u4(at + PACKETS_OUT.at.count));
  if (places.some((at, i) => PACKETS_OUT.size + counts[i] * PACKET_OUT.size > records.size(at))) {
    throw new RawFormatError(
      "a record of frames says that it has more than it can hold (too many)",
      places[0],
    );
  }
  const found = new Frames(
    bytes,
    counts.reduce((sum, count) => sum + count, 0),
  );
  let next = 0;
  let group = -1;
  let begun = 0;
  places.forEach((at, i) => {
    if (Math.floor(next / AT_ONCE) !== group) {
      group = Math.floor(next / AT_ONCE);
      begun = at;
    }
    readRecord(found, next, at, counts[i], records.end(at), begun);
    next += counts[i];
  });
  return found.pick(order(found.length, (i) => found.atNs[i]));
}

/**
 * @param {Frames} found
 * @param {number} first where the first of them goes
 * @param {number} payload of the record
 * @param {number} count
 * @param {number} end of the record
 * @param {number} begun the record that an error names
 */
function readRecord(found, first, payload, count, end, begun) {
  const { bytes } = found;
  let offset = payload + PACKETS_OUT.size + count * PACKET_OUT.size;
  for (let i = 0; i < count; i++) {
    const head = payload + PACKETS_OUT.size + i * PACKET_OUT.size;
    const captured = bytes.u4(head + PACKET_OUT.at.captured);
    if (offset + captured > end) {
      throw new RawFormatError("a frame longer than the record that holds it (too long)", begun);
    }
    found.atNs[first + i] = bytes.i8(head + PACKET_OUT.at.at_ns);
    found.interface[first + i] = bytes.u4(payload + PACKETS_OUT.at.interface);
    found.outgoing[first + i] = bytes.u4(head + PACKET_OUT.at.outgoing) === 0 ? 0 : 1;
    found.offset[first + i] = offset;
    found.captured[first + i] = captured;
    found.size[first + i] = bytes.u4(head + PACKET_OUT.at.length);
    offset += (captured + 3) & ~3;
  }
}

/**
 * Interface index -> frames that the agent was too late for; 0: of the drop monitor. Those above zero.
 * @param {Records} records
 * @returns {Map<number, number>}
 */
export function lostFrames(records) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const at of records.heads("CAPTURED")) {
    const index = records.bytes.u4(at + CAPTURED_OUT.at.interface);
    const lost = records.bytes.u8(at + CAPTURED_OUT.at.lost);
    if (lost > 0) found.set(index, (found.get(index) ?? 0) + lost);
  }
  return found;
}
