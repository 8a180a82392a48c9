// The directions of the TCP connections that lost something, and what became of each packet that they lost.

import { SACK_BLOCKS } from "../decode/headers.mjs";
import { order, valueAt } from "../decode/table.mjs";
import { LOST } from "./accounts.mjs";
import { pureAck, Recovery, running } from "./recovery.mjs";
import { endSeq, hasSyn, isTcp } from "./transmissions.mjs";

/** @typedef {import("./accounts.mjs").Accounts} Accounts */
/** @typedef {import("./accounts.mjs").Packets} Packets */
/** @typedef {import("./recovery.mjs").RecoveryOutcome} RecoveryOutcome */
/** @typedef {import("./recovery.mjs").Side} Side */

/** @type {Readonly<Record<string, string>>} */
const SIDES = { data: "sender", ack: "receiver" };

/**
 * For each lost packet, by its number; none of protocols that mend nothing.
 * @param {Accounts} accounts
 * @param {Int32Array} transmission of each packet
 * @returns {Map<number, RecoveryOutcome>}
 */
export function mended(accounts, transmission) {
  const { packets } = accounts;
  const groups = directions(packets);
  /** @type {Map<number, RecoveryOutcome>} */
  const found = new Map();
  for (const { rows, back } of groups.values()) {
    if (!rows.some((i) => packets.fate[i] === LOST)) continue;
    const side = sideOf(accounts, rows, groups.get(back)?.rows ?? []);
    const recovery = new Recovery(side);
    const arrivals = arrivalsOf(packets, rows);
    const acks = numbers(packets, "ack");
    rows.forEach((i, n) => {
      if (packets.fate[i] !== LOST) return;
      const data = side.end[n] > side.seq[n];
      const what = data ? recovery.data(n, transmission[i]) : pureAck(packets.sentNs[i], acks[i], arrivals);
      found.set(i, what);
    });
  }
  return found;
}

/**
 * The packets of each direction of a TCP connection; back: which is the other one.
 * @param {Packets} packets
 */
function directions(packets) {
  const { table } = packets;
  const tcp = isTcp(table);
  const [src, dst] = ["src", "dst"].map((name) => table.column(name));
  const [sport, dport] = ["sport", "dport"].map((name) => numbers(packets, name));
  /** @type {Map<string, {rows: number[], back: string}>} */
  const found = new Map();
  for (let i = 0; i < table.length; i++) {
    if (!tcp(i)) continue;
    const [a, b] = [`${valueAt(src, i)} ${sport[i]}`, `${valueAt(dst, i)} ${dport[i]}`];
    const known = found.get(`${a} ${b}`);
    if (known === undefined) found.set(`${a} ${b}`, { rows: [i], back: `${b} ${a}` });
    else known.rows.push(i);
  }
  return found;
}

/**
 * @param {Packets} packets
 * @param {string} name of a column of whole numbers
 */
function numbers({ table }, name) {
  return /** @type {ArrayLike<number>} */ (table.column(name).values);
}

/**
 * When packets of a direction arrived, and the highest acknowledgement number by then.
 * @param {Packets} packets
 * @param {readonly number[]} rows
 */
function arrivalsOf(packets, rows) {
  const arrived = inOrder(packets, rows, () => true);
  const acks = numbers(packets, "ack");
  return {
    atNs: Float64Array.from(arrived, (i) => packets.arrivedNs[i]),
    highest: running(arrived.map((i) => acks[i])),
  };
}

/**
 * Some packets that arrived, in the order in which they did.
 * @param {Packets} packets
 * @param {readonly number[]} rows
 * @param {(row: number) => boolean} wanted
 */
function inOrder({ arrivedNs }, rows, wanted) {
  const mine = rows.filter((i) => arrivedNs[i] >= 0 && wanted(i));
  return Array.from(
    order(mine.length, (n) => arrivedNs[mine[n]]),
    (n) => mine[n],
  );
}

/**
 * @param {Accounts} accounts
 * @param {readonly number[]} rows
 * @param {readonly number[]} back
 * @returns {Side}
 */
function sideOf(accounts, rows, back) {
  const { packets } = accounts;
  const [seq, ack] = [numbers(packets, "seq"), numbers(packets, "ack")];
  const [end, syn] = [endSeq(packets.table), hasSyn(packets.table)];
  const acks = inOrder(packets, back, (i) => ack[i] > 0);
  return {
    sentNs: rows.map((i) => packets.sentNs[i]),
    seq: Float64Array.from(rows, (i) => seq[i]),
    end: Float64Array.from(rows, end),
    syn: Uint8Array.from(rows, (i) => (syn(i) ? 1 : 0)),
    ackNs: Float64Array.from(acks, (i) => packets.arrivedNs[i]),
    ack: Float64Array.from(acks, (i) => ack[i]),
    left: edges(packets, acks, "left"),
    right: edges(packets, acks, "right"),
    ...statesOf(accounts, rows[0]),
  };
}

/**
 * @param {Packets} packets
 * @param {readonly number[]} rows
 * @param {"left" | "right"} side
 */
function edges(packets, rows, side) {
  const found = new Float64Array(rows.length * SACK_BLOCKS);
  for (let block = 0; block < SACK_BLOCKS; block++) {
    const column = numbers(packets, `sack${block + 1}_${side}`);
    rows.forEach((i, n) => {
      found[n * SACK_BLOCKS + block] = column[i];
    });
  }
  return found;
}

/**
 * The congestion states of the socket that sent a packet, as the trace's tables name it.
 * @param {Accounts} accounts
 * @param {number} i
 */
function statesOf({ result, packets: { table } }, i) {
  /** @param {string} name */
  const value = (name) => table.value(name, i);
  const ends = `${value("src")}:${value("sport")}>${value("dst")}:${value("dport")}`;
  const socket = value("flow") ?? ends;
  const side = SIDES[String(value("way"))] ?? "unknown";
  const states = result.table("cong_states");
  const [flows, sides, names] = ["flow", "side", "state"].map((name) => states.column(name));
  const times = /** @type {Float64Array} */ (states.column("time_s").values);
  const stateNs = [];
  const state = [];
  for (let row = 0; row < states.length; row++) {
    if (valueAt(flows, row) !== socket || valueAt(sides, row) !== side) continue;
    stateNs.push(Math.round(times[row] * 1e9));
    state.push(String(valueAt(names, row)));
  }
  return { stateNs, state };
}
