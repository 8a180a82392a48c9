// What commands on hosts printed, and how each one ended.

import { EXEC_OUT } from "../program/structs.mjs";
import { RawFormatError } from "./bytes.mjs";
import { floats, ints, Table, texts } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./raw.mjs").Records} Records */

const STDOUT = 1;
const STDERR = 2;
const STOPPED = 0x7f; // of a wait status: it has not ended

/**
 * One row per command of the layout, with what it printed.
 * @param {Recorded} run
 * @throws {RawFormatError}
 */
export function commands({ records, layout }) {
  const printed = outputs(records);
  const ends = exits(records);
  const rows = layout.commands.map((command) => ({ ...command, end: ends.get(command.id) }));
  /** @param {number} stream */
  const text = (stream) => texts(rows.map((row) => printed.get(`${row.id} ${stream}`) ?? ""));
  return new Table({
    id: ints(rows.map((row) => row.id)),
    host: texts(rows.map((row) => row.host)),
    command: texts(rows.map((row) => row.command)),
    status: ints(
      rows.map((row) => row.end?.status ?? 0),
      Uint8Array.from(rows, (row) => (row.end === undefined ? 1 : 0)),
    ),
    stdout: text(STDOUT),
    stderr: text(STDERR),
    start_s: floats(rows.map((row) => row.at_s)),
    end_s: floats(rows.map((row) => (row.end === undefined ? Number.NaN : row.end.atNs / 1e9))),
  });
}

/**
 * "COMMAND STREAM" -> all that was written there.
 * @param {Records} records
 * @returns {Map<string, string>}
 */
function outputs(records) {
  const { bytes } = records;
  /** @type {Map<string, Uint8Array[]>} */
  const found = new Map();
  for (const at of records.heads("EXEC_OUT")) {
    const key = `${bytes.u4(at + EXEC_OUT.at.id)} ${bytes.i4(at + EXEC_OUT.at.stream)}`;
    const parts = found.get(key) ?? [];
    parts.push(bytes.data.subarray(at + EXEC_OUT.size, records.end(at)));
    found.set(key, parts);
  }
  return new Map([...found].map(([key, parts]) => [key, decoded(parts)]));
}

/**
 * A character may have been written in two parts.
 * @param {readonly Uint8Array[]} parts
 */
function decoded(parts) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/**
 * Command -> its exit status (minus the signal's number if one ended it), and when it ended.
 * @param {Records} records
 * @throws {RawFormatError}
 */
function exits(records) {
  /** @type {Map<number, {status: number, atNs: number}>} */
  const found = new Map();
  for (const at of records.heads("EXEC_END")) {
    const wait = records.bytes.i4(at + EXEC_OUT.at.stream);
    const signal = wait & STOPPED;
    if (signal === STOPPED) {
      throw new RawFormatError(
        `a command's status is none (${wait < 0 ? "-" : ""}0x${Math.abs(wait).toString(16)})`,
        at,
      );
    }
    const status = signal > 0 ? -signal : (wait >> 8) & 0xff;
    found.set(records.bytes.u4(at + EXEC_OUT.at.id), { status, atNs: records.atNs(at) });
  }
  return found;
}
