// Ethernet, IPv4, TCP and UDP headers of frames.
// Sources: RFC 791, 9293 (TCP and its options), 7323 (window scale, timestamps), 2018 (SACK), 768, 792.

/** @typedef {import("./frames.mjs").Frames} Frames */
/** @typedef {import("./bytes.mjs").Bytes} Bytes */

export const ETHERNET = 14;
export const ICMP = 1;
export const TCP = 6;
export const UDP = 17;
export const SACK_BLOCKS = 4;
export const NONE = -1;
const IPV4 = 0x0800;
const IP_HEADER = 20;
const TCP_HEADER = 20;
const UDP_HEADER = 8;
const MORE = 0x2000; // of the fragment field
const PLACE = 0x1fff;
const FLAGS = 0x1ff;
const NOP = 1; // options
const SCALE = 3;
const SACK = 5;
const STAMPS = 8;

/**
 * One entry per frame; what a frame does not have is -1.
 *
 * protocol: of IPv4; -1: not IPv4, or cut off before the end of its headers. fragment: where in its datagram a
 * fragment begins, in bytes; -1: a whole datagram. A later fragment has the ports of its first one, if that came
 * before. segment: offset of what follows the IP header in the file. payload: bytes behind the headers, by the IP
 * header's length, whether captured or not. seq, ack: modulo 2^32 as on the wire; scale: the window scale option;
 * edges: the left and the right edge of each SACK block.
 */
export class Headers {
  /** @param {number} length how many */
  constructor(length) {
    const none = () => new Float64Array(length).fill(NONE);
    this.protocol = none();
    this.src = none();
    this.dst = none();
    this.ipId = none();
    this.fragment = none();
    this.sport = none();
    this.dport = none();
    this.seq = none();
    this.ack = none();
    this.flags = none();
    this.window = none();
    this.payload = none();
    this.segment = none();
    this.segmentSize = none();
    this.scale = none();
    this.tsval = none();
    this.tsecr = none();
    this.sacks = new Float64Array(length);
    this.edges = Array.from({ length: 2 * SACK_BLOCKS }, none);
  }
}

/**
 * @param {Frames} frames
 * @returns {Headers}
 */
export function dissect(frames) {
  const found = new Headers(frames.length);
  /** @type {Map<string, [number, number]>} */
  const ports = new Map(); // of datagrams in fragments, as their first ones told
  for (let i = 0; i < frames.length; i++) {
    const start = frames.offset[i];
    const captured = frames.captured[i];
    ipv4(found, frames.bytes, i, start, captured);
    if (found.fragment[i] <= 0) {
      if (found.protocol[i] === UDP) udp(found, frames.bytes, i, start, captured);
      else if (found.protocol[i] === TCP) tcp(found, frames.bytes, i, start, captured);
    }
    if (found.fragment[i] >= 0) sharePorts(found, i, ports);
  }
  return found;
}

/**
 * @param {Headers} found
 * @param {Bytes} bytes
 * @param {number} i
 * @param {number} start of the frame
 * @param {number} captured
 */
function ipv4(found, bytes, i, start, captured) {
  if (captured < ETHERNET + IP_HEADER || bytes.u2Network(start + 12) !== IPV4) return;
  const ip = start + ETHERNET;
  const first = bytes.u1(ip);
  const header = (first & 15) * 4;
  if (header < IP_HEADER || first >> 4 !== 4) return;
  const place = bytes.u2Network(ip + 6);
  found.protocol[i] = bytes.u1(ip + 9);
  found.src[i] = bytes.u4Network(ip + 12);
  found.dst[i] = bytes.u4Network(ip + 16);
  found.ipId[i] = bytes.u2Network(ip + 4);
  found.fragment[i] = place & (MORE | PLACE) ? (place & PLACE) * 8 : NONE;
  found.segment[i] = ip + header;
  found.segmentSize[i] = bytes.u2Network(ip + 2) - header;
  found.payload[i] = found.segmentSize[i];
}

/**
 * Ports of later fragments: those of the first one of the same datagram, the last before.
 * @param {Headers} found
 * @param {number} i
 * @param {Map<string, [number, number]>} ports
 */
function sharePorts(found, i, ports) {
  const datagram = `${found.src[i]} ${found.dst[i]} ${found.protocol[i]} ${found.ipId[i]}`;
  if (found.fragment[i] === 0) ports.set(datagram, [found.sport[i], found.dport[i]]);
  else [found.sport[i], found.dport[i]] = ports.get(datagram) ?? [NONE, NONE];
}

/**
 * Were so many bytes captured? If not, the frame is of no known protocol.
 * @param {Headers} found
 * @param {number} i
 * @param {number} captured
 * @param {number} wanted
 */
function enough(found, i, captured, wanted) {
  if (captured >= wanted) return true;
  found.protocol[i] = NONE;
  return false;
}

/**
 * @param {Headers} found
 * @param {Bytes} bytes
 * @param {number} i
 * @param {number} start
 * @param {number} captured
 */
function udp(found, bytes, i, start, captured) {
  const at = found.segment[i];
  if (!enough(found, i, captured, at - start + UDP_HEADER)) return;
  found.sport[i] = bytes.u2Network(at);
  found.dport[i] = bytes.u2Network(at + 2);
  found.payload[i] -= UDP_HEADER;
}

/**
 * @param {Headers} found
 * @param {Bytes} bytes
 * @param {number} i
 * @param {number} start
 * @param {number} captured
 */
function tcp(found, bytes, i, start, captured) {
  const at = found.segment[i];
  if (!enough(found, i, captured, at - start + TCP_HEADER)) return;
  const size = (bytes.u1(at + 12) >> 4) * 4;
  if (!enough(found, i, captured, at - start + size)) return;
  found.sport[i] = bytes.u2Network(at);
  found.dport[i] = bytes.u2Network(at + 2);
  found.seq[i] = bytes.u4Network(at + 4);
  found.ack[i] = bytes.u4Network(at + 8);
  found.flags[i] = bytes.u2Network(at + 12) & FLAGS;
  found.window[i] = bytes.u2Network(at + 14);
  found.payload[i] -= size;
  options(found, bytes, i, at + TCP_HEADER, at + size);
}

/**
 * @param {Headers} found
 * @param {Bytes} bytes
 * @param {number} i
 * @param {number} start
 * @param {number} end
 */
function options(found, bytes, i, start, end) {
  let at = start;
  while (at < end) {
    const kind = bytes.u1(at);
    const single = kind <= NOP;
    const size = single || at + 1 >= end ? 1 : bytes.u1(at + 1);
    const whole = size >= (single ? 1 : 2) && at + size <= end;
    if (!whole || kind === 0) return;
    if (kind === STAMPS && size === 10) {
      found.tsval[i] = bytes.u4Network(at + 2);
      found.tsecr[i] = bytes.u4Network(at + 6);
    } else if (kind === SCALE && size === 3) {
      found.scale[i] = bytes.u1(at + 2);
    } else if (kind === SACK) {
      const blocks = Math.min((size - 2) >> 3, SACK_BLOCKS);
      found.sacks[i] = blocks;
      for (let edge = 0; edge < 2 * blocks; edge++) {
        found.edges[edge][i] = bytes.u4Network(at + 2 + 4 * edge);
      }
    }
    at += size;
  }
}
