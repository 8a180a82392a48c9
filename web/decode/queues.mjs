// Queueing disciplines as the kernel dumps them: backlog and counters over time, root and leaf told apart.

import { PHASE_AFTER, PHASE_SAMPLE } from "../program/structs.mjs";
import { RawFormatError } from "./bytes.mjs";
import { messages, nested } from "./dumps.mjs";
import { QDISC_MARKS } from "./facts.mjs";
import { each, flags, inSeconds, ints, Table } from "./table.mjs";

/** @typedef {import("./raw.mjs").Records} Records */
/** @typedef {import("./bytes.mjs").Bytes} Bytes */
/** @typedef {import("./dumps.mjs").Message} Message */
/** @typedef {import("./dumps.mjs").Place} Place */

export const NEWQDISC = 36;
export const BODY = 36; // where the attributes begin, behind nlmsghdr and tcmsg
export const KIND = 1; // TCA_KIND
export const STATS2 = 7; // TCA_STATS2
export const APP = 4; // TCA_STATS_APP
const BASIC = 1;
const QUEUE = 3;
const PKT64 = 8;
const SIZES = { [BASIC]: 12, [QUEUE]: 20, [PKT64]: 8 }; // gnet_stats_basic, gnet_stats_queue, a counter that does not wrap
const LONGEST_KIND = 16; // IFNAMSIZ
const ROOT = 0xffffffff;
const INGRESS = 0xfffffff1;

/**
 * One qdisc in one dump. root: the device's own; leaf: it holds the packets, no other qdisc is below it.
 * @typedef {{phase: number, ns: number, atNs: number, index: number, handle: number, parent: number, kind: string,
 *   sent_bytes: number, sent_packets: number, backlog_packets: number, backlog_bytes: number, drops: number,
 *   requeues: number, overlimits: number, marks: number, root: boolean, leaf: boolean}} Qdisc
 */

/**
 * Every qdisc in every dump, in the order of time.
 * @param {Records} records
 * @returns {Qdisc[]}
 * @throws {RawFormatError}
 */
export function readQdiscs(records) {
  const found = messages(records, NEWQDISC).map((message) => read(records.bytes, message));
  /** @type {Map<string, Qdisc[]>} */
  const dumps = new Map();
  for (const qdisc of found) {
    const key = `${qdisc.phase} ${qdisc.atNs} ${device(qdisc)}`;
    const others = dumps.get(key);
    if (others === undefined) dumps.set(key, [qdisc]);
    else others.push(qdisc);
  }
  for (const dump of dumps.values()) {
    const above = dump.filter((one) => one.parent !== ROOT && one.parent !== INGRESS);
    const inner = new Set(above.map((one) => one.parent >>> 16));
    for (const one of dump) one.leaf = !inner.has(one.handle >>> 16) && one.parent !== INGRESS;
  }
  return found;
}

/**
 * Which device a qdisc is on.
 * @param {{ns: number, index: number}} qdisc
 */
export function device({ ns, index }) {
  return `${ns} ${index}`;
}

/**
 * @param {Bytes} bytes
 * @param {Message} message
 * @returns {Qdisc}
 */
function read(bytes, { phase, ns, atNs, offset, size }) {
  if (size < BODY) throw cut(offset);
  const [kindAt, stats] = nested(bytes, offset + BODY, offset + size, [KIND, STATS2]);
  const kind = kindText(bytes, kindAt);
  const parent = bytes.u4(offset + 28);
  return {
    phase,
    ns,
    atNs,
    index: bytes.i4(offset + 20),
    handle: bytes.u4(offset + 24),
    parent,
    kind,
    ...counts(bytes, offset, kind, stats),
    root: parent === ROOT,
    leaf: false,
  };
}

/** @param {number} offset */
function cut(offset) {
  return new RawFormatError("a qdisc's message is cut short", offset);
}

/**
 * "" where there is none.
 * @param {Bytes} bytes
 * @param {Place} place
 */
export function kindText(bytes, { at, size }) {
  return bytes.textWithoutZeros(at, at + Math.min(size, LONGEST_KIND));
}

/**
 * The numbers in TCA_STATS2; 0 where the kernel gives none.
 * @param {Bytes} bytes
 * @param {number} message where it begins
 * @param {string} kind
 * @param {Place} stats
 */
function counts(bytes, message, kind, stats) {
  const types = [BASIC, QUEUE, PKT64, APP];
  const [basic, queue, packets, app] = nested(bytes, stats.at, stats.at + stats.size, types);
  for (const [place, type] of /** @type {const} */ ([
    [basic, BASIC],
    [queue, QUEUE],
    [packets, PKT64],
  ])) {
    if (place.size > 0 && place.size < SIZES[type]) throw cut(message);
  }
  /** @type {(place: Place, offset: number) => number} */
  const u4 = (place, offset) => (place.size > 0 ? bytes.u4(place.at + offset) : 0);
  const marks = QDISC_MARKS[kind];
  return {
    sent_bytes: basic.size > 0 ? bytes.i8(basic.at) : 0,
    sent_packets: packets.size > 0 ? bytes.i8(packets.at) : u4(basic, 8),
    backlog_packets: u4(queue, 0),
    backlog_bytes: u4(queue, 4),
    drops: u4(queue, 8),
    requeues: u4(queue, 12),
    overlimits: u4(queue, 16),
    marks: marks !== undefined && app.size >= marks + 4 ? bytes.u4(app.at + marks) : 0,
  };
}

/**
 * What is of the run: the samples, and after them the devices' last state.
 * @template {{phase: number, ns: number, index: number, atNs: number}} Dumped
 * @param {readonly Dumped[]} rows
 * @returns {Dumped[]}
 */
export function sampled(rows) {
  const during = rows.filter((row) => row.phase === PHASE_SAMPLE);
  const devices = new Set(during.map(device));
  const lastNs = during.reduce((latest, row) => Math.max(latest, row.atNs), Number.NEGATIVE_INFINITY);
  const last = rows.filter(
    (row) => row.phase === PHASE_AFTER && devices.has(device(row)) && row.atNs > lastNs,
  );
  return [...during, ...last];
}

/**
 * One row per qdisc and dump.
 * @param {readonly Qdisc[]} rows
 */
export function qdiscTable(rows) {
  /** @type {(name: keyof Qdisc) => import("./table.mjs").Column} */
  const int = (name) => ints(rows.map((row) => Number(row[name])));
  return new Table({
    time_s: inSeconds(rows.map((row) => row.atNs)),
    phase: int("phase"),
    ns: int("ns"),
    index: int("index"),
    handle: int("handle"),
    parent: int("parent"),
    kind: each(rows.map((row) => row.kind)),
    sent_bytes: int("sent_bytes"),
    sent_packets: int("sent_packets"),
    backlog_packets: int("backlog_packets"),
    backlog_bytes: int("backlog_bytes"),
    drops: int("drops"),
    requeues: int("requeues"),
    overlimits: int("overlimits"),
    marks: int("marks"),
    root: flags(rows.map((row) => row.root)),
    leaf: flags(rows.map((row) => row.leaf)),
  });
}
