// Requests over one connection, and the transfers of background traffic: what the agent tells of each.

import { errnoName } from "./flows.mjs";
import { flowsOf, readRows } from "./rows.mjs";
import { flags, inSeconds, ints, named, seconds, Table, texts } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */

const REQUEST_OUT = {
  flow: "u4",
  reserved: "u4",
  number: "i8",
  think: "u8",
  sent: "i8",
  first: "i8",
  done: "i8",
};
const TRANSFER_OUT = {
  flow: "u4",
  error: "i4",
  number: "i8",
  size: "i8",
  received: "i8",
  start: "i8",
  established: "i8",
  first: "i8",
  done: "i8",
};

/**
 * One row per request that was sent. One that was not answered before the end has NaN and is not complete.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function requests(run) {
  const rows = readRows(run.records, "REQUEST", REQUEST_OUT, ["flow", "number"]);
  return new Table({
    flow: flowNames(rows.flow, flowsOf(run, "requests")),
    number: ints(rows.number),
    sent_s: seconds(rows.sent),
    first_byte_s: seconds(rows.first),
    done_s: seconds(rows.done),
    latency_s: inSeconds(between(rows.sent, rows.done)),
    think_s: inSeconds(rows.think),
    complete: done(rows.done),
  });
}

/**
 * One row per transfer of a background that began. One that did not end has NaN and is not complete.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function transfers(run) {
  const rows = readRows(run.records, "TRANSFER", TRANSFER_OUT, ["flow", "number"]);
  return new Table({
    flow: flowNames(rows.flow, flowsOf(run, "background")),
    number: ints(rows.number),
    size_bytes: ints(rows.size),
    received_bytes: ints(rows.received),
    start_s: seconds(rows.start),
    established_s: seconds(rows.established),
    first_byte_s: seconds(rows.first),
    done_s: seconds(rows.done),
    duration_s: inSeconds(between(rows.start, rows.done)),
    complete: done(rows.done),
    error: texts(Array.from(rows.error, errnoName)),
  });
}

/**
 * The name of each row's flow; missing: none of these.
 * @param {Float64Array} flow
 * @param {ReadonlyMap<number, FlowLayout>} known
 */
export function flowNames(flow, known) {
  const ids = [...known.keys()];
  return named(
    Int32Array.from(flow, (id) => ids.indexOf(id)),
    [...known.values()].map(({ name }) => name),
  );
}

/**
 * From one instant to another (ns); NaN if the other never was.
 * @param {Float64Array} from
 * @param {Float64Array} to
 */
export function between(from, to) {
  return to.map((at, i) => (at < 0 ? Number.NaN : at - from[i]));
}

/** @param {Float64Array} ns */
export function done(ns) {
  return flags(Uint8Array.from(ns, (at) => (at < 0 ? 0 : 1)));
}
