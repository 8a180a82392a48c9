// How flows ended, of whatever kind: the tables `flows` and `goodput`.

import { errnoName } from "../decode/plain_tables.mjs";
import { flags, floats, ints, seconds, Table, texts, wide } from "../decode/table.mjs";
import { lastInfo } from "../decode/tcp_info.mjs";
import { FLOW_OUT } from "../program/structs.mjs";
import { until } from "./until.mjs";

/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */
/** @typedef {import("../decode/bytes.mjs").Bytes} Bytes */

const OUT = FLOW_OUT.at;

/**
 * One row per flow of the layout; one that never ended has no times and is not complete.
 * @param {Recorded} run
 * @throws {import("../decode/bytes.mjs").RawFormatError}
 */
export function flows(run) {
  const { bytes } = run.records;
  const layout = run.layout.flows;
  const byId = new Map(run.records.heads("FLOW").map((at) => [bytes.u4(at + OUT.id), at]));
  const ends = layout.map((flow) => byId.get(flow.id));
  /** @param {"name" | "src" | "dst" | "protocol" | "cc"} name */
  const text = (name) => texts(layout.map((flow) => flow[name] ?? ""));
  /** @param {number} offset */
  const time = (offset) => seconds(ends.map((at) => (at === undefined ? -1 : bytes.i8(at + offset))));
  /** @param {number} offset */
  const count = (offset) => counted(bytes, ends, offset);
  const errors = ends.map((at) => (at === undefined ? 0 : bytes.i4(at + OUT.error)));
  const again = retransmitted(run);
  return new Table({
    flow: text("name"),
    src: text("src"),
    dst: text("dst"),
    protocol: text("protocol"),
    cc: text("cc"),
    sent_bytes: count(OUT.sent),
    received_bytes: count(OUT.received),
    sent_packets: count(OUT.sent_packets),
    received_packets: count(OUT.received_packets),
    start_s: floats(layout.map((flow) => flow.start_s ?? 0)),
    established_s: time(OUT.established_ns),
    first_byte_s: time(OUT.first_ns),
    last_byte_s: time(OUT.last_ns),
    end_s: time(OUT.end_ns),
    complete: flags(ends.map((at, i) => at !== undefined && errors[i] === 0)),
    error: texts(errors.map(errnoName)),
    retransmits: ints(
      layout.map((flow) => again.get(flow.id) ?? 0),
      Uint8Array.from(layout, (flow) => (again.has(flow.id) ? 0 : 1)),
    ),
  });
}

/**
 * @param {Bytes} bytes
 * @param {readonly (number | undefined)[]} ends
 * @param {number} offset
 */
function counted(bytes, ends, offset) {
  /** @type {(row: number) => number} */
  const near = (row) => {
    const at = ends[row];
    return at === undefined ? 0 : bytes.u8(at + offset);
  };
  return wide(ends.length, near, (row) => bytes.exactI8(Number(ends[row]) + offset), true);
}

/**
 * Flow id -> segments sent again; of flows whose two ends both send data, by either.
 * @param {Recorded} run
 */
function retransmitted(run) {
  const found = lastInfo(run, "total_retrans", "sender");
  const back = lastInfo(run, "total_retrans", "receiver");
  for (const flow of run.layout.flows) {
    const mine = found.get(flow.id);
    if (flow.both_send && mine !== undefined) found.set(flow.id, mine + (back.get(flow.id) ?? 0));
  }
  return found;
}

/**
 * When the time was over (s) that each flow was given, in the order of `flows`.
 * @param {Recorded} run
 * @param {Table} table `flows`
 */
export function givenUntil(run, table) {
  return run.experiment.flows.map((flow, i) => {
    /** @param {string} name */
    const time = (name) => /** @type {number} */ (table.value(name, i) ?? Number.NaN);
    const ended = { startS: time("start_s"), lastByteS: time("last_byte_s"), endS: time("end_s") };
    return until(flow, { ...ended, complete: table.value("complete", i) === true }, run.virtualS);
  });
}

/**
 * Mbit/s of payload per flow: what the receiver read, over the time that the flow was given. NaN for one that took no
 * time, and for one of which a cut run said nothing.
 * @param {Recorded} run
 * @param {Table} table `flows`
 */
export function goodput(run, table) {
  const rates = givenUntil(run, table).map((untilS, i) => {
    const time = untilS - Number(table.value("start_s", i));
    const ended = table.value("end_s", i) !== null;
    return time > 0 && ended ? (8e-6 * Number(table.value("received_bytes", i))) / time : Number.NaN;
  });
  return new Table({ flow: table.column("flow"), goodput: floats(rates) });
}
