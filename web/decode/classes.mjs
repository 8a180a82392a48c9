// Queues with classes over time, class by class: of htb and its kin the queues below it, of cake its tins.
// Which class a queue is in, its parent's handle says: 10:2 is the second class of qdisc 10:.

import { QDISC_MARKS } from "./facts.mjs";
import { device, sampled } from "./queues.mjs";
import { each, inSeconds, ints, named, order, Table } from "./table.mjs";
import { readTins, tinName } from "./tins.mjs";

/** @typedef {import("./queues.mjs").Qdisc} Qdisc */
/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./types.mjs").Device} Device */
/**
 * What a class has at an instant; null: nobody tells.
 * @typedef {{place: Device, atNs: number, number: number, kind: string, name: string,
 *   backlog_packets: number | null, backlog_bytes: number | null, sent_packets: number, sent_bytes: number,
 *   drops: number, marks: number | null}} Row
 */

const NO_CLASS = -1;

/**
 * One row per class of a queue that has any (or tin of cake) and sample.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function classes(run) {
  const places = new Map(run.layout.interfaces.filter((one) => one.queue).map((one) => [device(one), one]));
  const rows = [...children(sampled(run.qdiscs), places), ...tins(run, places)];
  const host = each(rows.map((row) => row.place.from));
  const peer = each(rows.map((row) => row.place.to));
  /** @type {((row: number) => number)[]} */
  const keys = [(i) => host.values[i], (i) => peer.values[i], (i) => rows[i].atNs, (i) => rows[i].number];
  const sorted = Array.from(order(rows.length, ...keys), (i) => rows[i]);
  return new Table({
    time_s: inSeconds(sorted.map((row) => row.atNs)),
    host: each(sorted.map((row) => row.place.from)),
    peer: each(sorted.map((row) => row.place.to)),
    kind: asTheyCome(sorted.map((row) => row.kind)),
    class: asTheyCome(sorted.map((row) => row.name)),
    backlog_packets: perhaps(sorted.map((row) => row.backlog_packets)),
    backlog_bytes: perhaps(sorted.map((row) => row.backlog_bytes)),
    sent_packets: perhaps(sorted.map((row) => row.sent_packets)),
    sent_bytes: perhaps(sorted.map((row) => row.sent_bytes)),
    drops: perhaps(sorted.map((row) => row.drops)),
    marks: perhaps(sorted.map((row) => row.marks)),
  });
}

/**
 * The queues in classes, and what the qdisc above counts more than all of them.
 * @param {readonly Qdisc[]} qdiscs
 * @param {ReadonlyMap<string, Device>} places
 * @returns {Row[]}
 */
function children(qdiscs, places) {
  /** @type {Row[]} */
  const found = [];
  /** @type {Map<string, Row[]>} */
  const inside = new Map(); // tree and instant -> its classes
  for (const qdisc of qdiscs) {
    const major = qdisc.parent >>> 16;
    const number = (qdisc.parent & 0xffff) - 1;
    const place = places.get(device(qdisc));
    const tree = place?.classes?.[String(major)];
    if (place === undefined || tree?.classes[number] === undefined) continue;
    const marks = QDISC_MARKS[qdisc.kind] === undefined ? null : qdisc.marks;
    const row = { ...qdisc, place, number, kind: tree.kind, name: tree.classes[number], marks };
    const key = `${qdisc.atNs} ${device(qdisc)} ${major}`;
    inside.set(key, [...(inside.get(key) ?? []), row]);
    found.push(row);
  }
  return [...found, ...rest(qdiscs, places, inside)];
}

/**
 * What was in no class: htb lets it pass by, drr drops it. Only where there was any.
 * @param {readonly Qdisc[]} qdiscs
 * @param {ReadonlyMap<string, Device>} places
 * @param {ReadonlyMap<string, Row[]>} inside
 * @returns {Row[]}
 */
function rest(qdiscs, places, inside) {
  /** @type {Map<string, Row[]>} */
  const found = new Map(); // tree -> its rests
  for (const qdisc of qdiscs) {
    const major = qdisc.handle >>> 16;
    const place = places.get(device(qdisc));
    if (place?.classes?.[String(major)] === undefined) continue;
    const below = inside.get(`${qdisc.atNs} ${device(qdisc)} ${major}`) ?? [];
    /** @param {"sent_packets" | "sent_bytes" | "drops"} name */
    const more = (name) => below.reduce((left, row) => left - row[name], qdisc[name]);
    const unknown = { backlog_packets: null, backlog_bytes: null, marks: null };
    const counts = {
      sent_packets: more("sent_packets"),
      sent_bytes: more("sent_bytes"),
      drops: more("drops"),
    };
    const row = {
      place,
      atNs: qdisc.atNs,
      number: NO_CLASS,
      kind: qdisc.kind,
      name: "",
      ...unknown,
      ...counts,
    };
    const tree = `${device(qdisc)} ${major}`;
    found.set(tree, [...(found.get(tree) ?? []), row]);
  }
  return [...found.values()]
    .filter((rows) => rows.some((row) => row.sent_packets > 0 || row.drops > 0))
    .flat();
}

/**
 * The tins of a cake that is a queue by itself: within a class they would be classes of a class.
 * @param {Recorded} run
 * @param {ReadonlyMap<string, Device>} places
 * @returns {Row[]}
 */
function tins({ records }, places) {
  return sampled(readTins(records)).flatMap((tin) => {
    const place = places.get(device(tin));
    if (place === undefined || place.classes?.[String(tin.parent >>> 16)] !== undefined) return [];
    return [{ ...tin, place, kind: "cake", name: tinName(tin), backlog_packets: null }];
  });
}

/**
 * Names in the order in which they come first.
 * @param {readonly string[]} values
 */
function asTheyCome(values) {
  const names = [...new Set(values)];
  return named(
    values.map((value) => names.indexOf(value)),
    names,
  );
}

/** @param {readonly (number | null)[]} values */
function perhaps(values) {
  return ints(
    values.map((value) => value ?? 0),
    Uint8Array.from(values, (value) => (value === null ? 1 : 0)),
  );
}
