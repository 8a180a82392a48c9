// Sequence numbers of packets: where each one's end, and how often its first byte has been sent.

import { valueAt } from "../decode/table.mjs";

/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("../decode/table.mjs").Names} Names */

/**
 * Is a packet of TCP?
 * @param {Table} table a packet table
 * @returns {(row: number) => boolean}
 */
export function isTcp(table) {
  const column = /** @type {Names} */ (table.column("protocol"));
  const tcp = column.names.indexOf("tcp");
  return (row) => tcp >= 0 && column.values[row] === tcp;
}

/**
 * Has a packet this flag?
 * @param {Table} table
 * @param {string} letter
 * @returns {(row: number) => boolean}
 */
function hasFlag(table, letter) {
  const column = /** @type {Names} */ (table.column("flags"));
  const with_ = column.names.map((name) => name.includes(letter));
  return (row) => with_[column.values[row]];
}

/** @param {Table} table */
export function hasSyn(table) {
  return hasFlag(table, "S");
}

/**
 * The sequence number behind a packet. SYN and FIN take one each (RFC 9293, section 3.4).
 * @param {Table} table
 * @returns {(row: number) => number}
 */
export function endSeq(table) {
  const [tcp, syn, fin] = [isTcp(table), hasFlag(table, "S"), hasFlag(table, "F")];
  const seq = /** @type {ArrayLike<number>} */ (table.column("seq").values);
  const payload = /** @type {ArrayLike<number>} */ (table.column("payload").values);
  return (row) => seq[row] + payload[row] + (tcp(row) ? Number(syn(row)) + Number(fin(row)) : 0);
}

/**
 * How many times the first byte of each packet has been sent, this time included; 1 without data.
 * @param {Table} table a packet table
 */
export function transmissions(table) {
  const [tcp, end] = [isTcp(table), endSeq(table)];
  const [src, dst] = ["src", "dst"].map((name) => table.column(name));
  const [seq, sport, dport] = ["seq", "sport", "dport"].map(
    (name) => /** @type {ArrayLike<number>} */ (table.column(name).values),
  );
  /** @type {Map<string, Map<number, number>>} */
  const counts = new Map(); // direction -> sequence number -> how often so far
  return Int32Array.from({ length: table.length }, (_, i) => {
    if (!tcp(i) || end(i) <= seq[i]) return 1;
    const direction = `${valueAt(src, i)} ${sport[i]} ${valueAt(dst, i)} ${dport[i]}`;
    const mine = counts.get(direction) ?? new Map();
    counts.set(direction, mine);
    const count = (mine.get(seq[i]) ?? 0) + 1;
    mine.set(seq[i], count);
    return count;
  });
}
