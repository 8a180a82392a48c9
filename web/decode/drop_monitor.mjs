// Lost packets as the kernel's drop monitor tells of them: when, where in the kernel, why, and which.
// Source: net/core/drop_monitor.c (net_dm_packet_report_fill), uapi linux/net_dropmon.h.

import { RawFormatError } from "./bytes.mjs";
import { nested } from "./dumps.mjs";
import { Frames } from "./frames.mjs";
import { order } from "./table.mjs";

/** @typedef {import("./raw.mjs").Records} Records */
/** @typedef {import("./dumps.mjs").Place} Place */
/** @typedef {import("./bytes.mjs").Bytes} Bytes */
/**
 * Drops in the order of time. frames.interface: where the packet was last received, 0: nowhere yet. functions: the
 * kernel's that freed it; reasons: the kernel's (enum skb_drop_reason) by name.
 * @typedef {{frames: Frames, functions: string[], reasons: string[]}} Drops
 */

const BODY = 20; // struct nlmsghdr and struct genlmsghdr
const SYMBOL = 3; // NET_DM_ATTR_*
const IN_PORT = 4;
const TIMESTAMP = 5;
const PAYLOAD = 7;
const ORIG_LEN = 10;
const REASON = 23;
const IFINDEX = 0; // within IN_PORT
const WANTED = [SYMBOL, IN_PORT, TIMESTAMP, PAYLOAD, ORIG_LEN, REASON];
const TIME_SIZE = 8;
const LONGEST_TEXT = 64;

/**
 * All packets freed as lost, those after the end of the run as well.
 * @param {Records} records
 * @returns {Drops}
 * @throws {RawFormatError}
 */
export function readDrops(records) {
  const { bytes, realNs } = records;
  const places = records.of("DROP");
  const found = places.map((at) => nested(bytes, at + BODY, records.end(at), WANTED));
  if (found.some(([, , stamp]) => stamp.size !== TIME_SIZE)) {
    const what = "a lost packet without a time (the drop monitor of another kernel?)";
    throw new RawFormatError(what, places[0]);
  }
  const frames = new Frames(bytes, places.length);
  found.forEach(([, port, stamp, payload, length], i) => {
    const [index] = nested(bytes, port.at, port.at + port.size, [IFINDEX]);
    frames.atNs[i] = Number(BigInt.asIntN(64, bytes.exactU8(stamp.at) - realNs));
    frames.interface[i] = index.size > 0 ? bytes.u4(index.at) : 0;
    frames.offset[i] = payload.at;
    frames.size[i] = bytes.u4(length.at);
    frames.captured[i] = Math.min(payload.size, frames.size[i]);
  });
  const sorted = order(frames.length, (i) => frames.atNs[i]);
  /** @param {number} attribute */
  const texts = (attribute) => Array.from(sorted, (i) => text(bytes, found[i][WANTED.indexOf(attribute)]));
  return { frames: frames.pick(sorted), functions: texts(SYMBOL), reasons: texts(REASON) };
}

/**
 * A text up to its "+0x1f/0x20", if it is a place in the kernel.
 * @param {Bytes} bytes
 * @param {Place} place
 */
function text(bytes, { at, size }) {
  return bytes.textWithoutZeros(at, at + Math.min(size, LONGEST_TEXT)).split("+")[0];
}

/**
 * Some of them.
 * @param {Drops} drops
 * @param {readonly number[]} which
 * @returns {Drops}
 */
export function pickDrops({ frames, functions, reasons }, which) {
  return {
    frames: frames.pick(which),
    functions: which.map((i) => functions[i]),
    reasons: which.map((i) => reasons[i]),
  };
}
