// The checksums of IPv4, TCP, UDP and ICMP (RFC 1071): good, bad, or not to be known.

import { ETHERNET, ICMP, NONE, TCP, UDP } from "./headers.mjs";

/** @typedef {import("./frames.mjs").Frames} Frames */
/** @typedef {import("./headers.mjs").Headers} Headers */
/** @typedef {import("./bytes.mjs").Bytes} Bytes */

export const GOOD = 0;
export const BAD = 1;
export const UNKNOWN = 2;
export const STATES = ["good", "bad", "unknown"];
const RIGHT = 0xffff;

/**
 * Of each frame: the IPv4 header's, and that of TCP or UDP (of which 0 means none, RFC 768) or of an ICMP message.
 * Not to be known is that of a frame of which not all was captured, or of a fragment.
 * @param {Frames} frames
 * @param {Headers} headers
 * @returns {Int32Array}
 */
export function checksums(frames, headers) {
  return Int32Array.from({ length: frames.length }, (_, i) => {
    if (headers.fragment[i] >= 0) return UNKNOWN;
    const end = headers.segment[i] + headers.segmentSize[i];
    const whole = end - frames.offset[i] <= frames.captured[i] && headers.segmentSize[i] >= 0;
    if (headers.protocol[i] !== NONE && whole) return right(frames, headers, i) ? GOOD : BAD;
    // All of it is there, and its header says that there is more.
    return frames.captured[i] === frames.size[i] && headers.ipId[i] >= 0 ? BAD : UNKNOWN;
  });
}

/**
 * @param {Frames} frames
 * @param {Headers} headers
 * @param {number} i
 */
function right({ bytes, offset }, headers, i) {
  const ip = offset[i] + ETHERNET;
  const segment = headers.segment[i];
  const size = headers.segmentSize[i];
  if (folded(sum(bytes, ip, segment - ip)) !== RIGHT) return false;
  const protocol = headers.protocol[i];
  if (protocol === ICMP) return folded(sum(bytes, segment, size)) === RIGHT;
  if (protocol !== TCP && protocol !== UDP) return true;
  if (protocol === UDP && bytes.u2Network(segment + 6) === 0) return true;
  const addresses = sum(bytes, ip + 12, 8);
  return folded(sum(bytes, segment, size) + addresses + protocol + size) === RIGHT;
}

/**
 * The sum of the big-endian 16-bit words of a stretch; an odd last byte counts as its upper half.
 * @param {Bytes} bytes
 * @param {number} start
 * @param {number} size
 */
function sum({ data }, start, size) {
  const even = start + (size & ~1);
  let total = 0;
  for (let at = start; at < even; at += 2) total += (data[at] << 8) | data[at + 1];
  return size & 1 ? total + (data[even] << 8) : total;
}

/** @param {number} total */
function folded(total) {
  let rest = total;
  while (rest > RIGHT) rest = (rest % 65536) + Math.floor(rest / 65536);
  return rest;
}
