// TCP_INFO samples: struct tcp_info (uapi linux/tcp.h) as the kernel gave it, as a table.

import { INFO_OUT } from "../program/structs.mjs";
import { TCP_INFO, TCP_INFO_BITS } from "./facts.mjs";
import { inSeconds, ints, named, Table, wide } from "./table.mjs";

/** @typedef {import("./table.mjs").Column} Column */
/** @typedef {import("./recorded.mjs").Recorded} Recorded */

const SIDES = ["sender", "receiver"];
const NO_RECORD = 1 << 20;

/**
 * One row per flow, side and sample, and one at each flow's end. Fields that the kernel does not have yet are no
 * columns.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function tcpInfo(run) {
  const { records } = run;
  const { bytes } = records;
  const places = records.heads("TCP_INFO");
  const known = places.reduce((least, at) => Math.min(least, records.size(at)), NO_RECORD) - INFO_OUT.size;
  const ids = run.layout.flows.map((flow) => flow.id);
  /** @type {Record<string, Column>} */
  const columns = {
    time_s: inSeconds(places.map((at) => records.atNs(at))),
    flow: named(
      places.map((at) => ids.indexOf(bytes.u4(at + INFO_OUT.at.flow))),
      run.layout.flows.map((flow) => flow.name),
    ),
    side: named(
      places.map((at) => Math.min(bytes.u4(at + INFO_OUT.at.side), 1)),
      SIDES,
    ),
  };
  for (const field of TCP_INFO.filter(({ at, size }) => at + size <= known)) {
    const column = read(run, places, field);
    const parts = TCP_INFO_BITS[field.name];
    if (parts === undefined) columns[field.name] = column;
    for (const [name, shift, mask] of parts ?? []) {
      columns[name] = ints(
        Uint8Array.from(/** @type {Uint8Array} */ (column.values), (bits) => (bits >> shift) & mask),
      );
    }
  }
  return new Table(columns);
}

/**
 * @param {Recorded} run
 * @param {readonly number[]} places
 * @param {typeof TCP_INFO[number]} field
 * @returns {Column}
 */
function read({ records: { bytes } }, places, { at, size }) {
  const inside = INFO_OUT.size + at;
  switch (size) {
    case 1:
      return ints(Uint8Array.from(places, (place) => bytes.u1(place + inside)));
    case 2:
      return ints(Uint16Array.from(places, (place) => bytes.u2(place + inside)));
    case 4:
      return ints(Uint32Array.from(places, (place) => bytes.u4(place + inside)));
    default:
      return wide(
        places.length,
        (row) => bytes.u8(places[row] + inside),
        (row) => bytes.exactU8(places[row] + inside),
        false,
      );
  }
}

/**
 * Flow id -> a field of one side's last TCP_INFO, which every flow that ended has.
 * @param {Recorded} run
 * @param {string} name of a field of 4 bytes
 * @param {"sender" | "receiver"} side
 * @returns {Map<number, number>}
 */
export function lastInfo({ records }, name, side) {
  const { bytes } = records;
  const places = records.heads("TCP_INFO");
  const field = /** @type {typeof TCP_INFO[number]} */ (TCP_INFO.find((one) => one.name === name));
  const inside = INFO_OUT.size + field.at;
  if (places.some((at) => records.size(at) < inside + field.size)) return new Map();
  const mine = places.filter((at) => SIDES[Math.min(bytes.u4(at + INFO_OUT.at.side), 1)] === side);
  return new Map(mine.map((at) => [bytes.u4(at + INFO_OUT.at.flow), bytes.u4(at + inside)]));
}
