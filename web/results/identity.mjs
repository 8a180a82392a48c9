// What a packet is known by wherever it is seen: its direction (addresses, protocol, ports), its IP identification, its
// place in a fragmented datagram and four bytes of what it carries (TCP: the sequence number).

import { dissect, ETHERNET } from "../decode/headers.mjs";

/** @typedef {import("../decode/frames.mjs").Frames} Frames */
/** @typedef {import("../decode/headers.mjs").Headers} Headers */

const WORD = 2 ** 32;
const PORTS = 2 ** 17;
const RIGHT = 0xffff;
const NONE = -1;

/**
 * Frames, the number of what each is known by, and which of them are what their header says: one bit flipped, and it
 * may be another packet's.
 */
export class Sighted {
  /**
   * @param {Frames} frames
   * @param {Int32Array} identity
   * @param {Uint8Array} trusted
   */
  constructor(frames, identity, trusted) {
    this.frames = frames;
    this.identity = identity;
    this.trusted = trusted;
    this.length = frames.length;
  }

  /**
   * Some of them.
   * @param {ArrayLike<number>} rows
   */
  pick(rows) {
    const identity = new Int32Array(rows.length);
    const trusted = new Uint8Array(rows.length);
    for (let n = 0; n < rows.length; n++) {
      identity[n] = this.identity[rows[n]];
      trusted[n] = this.trusted[rows[n]];
    }
    return new Sighted(this.frames.pick(rows), identity, trusted);
  }
}

/** Numbers for identities, the same wherever a packet was seen. */
export class Identities {
  constructor() {
    this.count = 0;
    /** @type {Map<number, Map<number, Map<number, Map<number, number>>>>} */
    this._from = new Map(); // sender -> receiver -> protocol and fragment -> identification and what is carried
  }

  /**
   * @param {Frames} frames
   * @param {Headers} [headers] theirs
   */
  sighted(frames, headers = dissect(frames)) {
    const identity = new Int32Array(frames.length);
    const trusted = new Uint8Array(frames.length);
    for (let i = 0; i < frames.length; i++) {
      identity[i] = this._number(frames, headers, i);
      trusted[i] = sound(frames, headers, i) ? 1 : 0;
    }
    return new Sighted(frames, identity, trusted);
  }

  /**
   * @param {Frames} frames
   * @param {Headers} headers
   * @param {number} i
   */
  _number(frames, { src, dst, sport, dport, protocol, fragment, ipId, segment }, i) {
    const later = fragment[i] > 0; // and its ports are only those that another fragment told
    const to = below(this._from, end(src[i], later ? NONE : sport[i]));
    const what = below(to, end(dst[i], later ? NONE : dport[i]));
    const mine = below(what, end(protocol[i], Math.max(fragment[i], 0)));
    const there = protocol[i] >= 0 && segment[i] - frames.offset[i] + 8 <= frames.captured[i];
    const carried = there ? frames.bytes.u4Network(segment[i] + 4) : 0;
    const key = ipId[i] * WORD + carried;
    const known = mine.get(key);
    if (known !== undefined) return known;
    mine.set(key, this.count);
    return this.count++;
  }
}

/**
 * Two numbers as one, of 32 and of 16 bits, or -1.
 * @param {number} large
 * @param {number} small
 */
function end(large, small) {
  return (large + 1) * PORTS + small + 1;
}

/**
 * What a map has for a key; a new map, if it has none.
 * @template Value
 * @param {Map<number, Map<number, Value>>} map
 * @param {number} key
 */
function below(map, key) {
  const known = map.get(key);
  if (known !== undefined) return known;
  /** @type {Map<number, Value>} */
  const made = new Map();
  map.set(key, made);
  return made;
}

/**
 * Is the checksum of a frame's IPv4 header right (RFC 1071)? False for what has none.
 * @param {Frames} frames
 * @param {Headers} headers
 * @param {number} i
 */
function sound({ bytes, offset, captured }, { segment }, i) {
  const end = segment[i];
  if (end < 0 || end - offset[i] > captured[i]) return false;
  let sum = 0;
  for (let at = offset[i] + ETHERNET; at < end; at += 2) sum += bytes.u2Network(at);
  while (sum > RIGHT) sum = (sum & RIGHT) + (sum >>> 16);
  return sum === RIGHT;
}
