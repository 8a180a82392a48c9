// What a TCP sender knew when a film begins, and its window from there on.

import { SACK_BLOCKS } from "../decode/headers.mjs";
import { valueAt } from "../decode/table.mjs";
import { numbersOf, rounded } from "./film_columns.mjs";
import { rowsOf } from "./journeys.mjs";
import { differences, numbers, texts } from "./packing.mjs";

/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/** @typedef {import("./packing.mjs").Packed} Packed */
/** @typedef {import("../decode/table.mjs").Table} Table */
/**
 * @template Value
 * @typedef {{at: number, value: Value}} Change
 */

const UNSET = 2 ** 30; // ssthresh before the first loss
const NS_PER_US = 1000;

/** One TCP flow whose data are on one connection, as its sender sees it. */
export class Sender {
  /**
   * @param {Journeys} found
   * @param {string} flow
   */
  constructor(found, flow) {
    this.found = found;
    this.flow = flow;
    const { table } = found;
    const [flows, ways] = [table.column("flow"), table.column("way")];
    const payload = numbersOf(table, "payload");
    const mine = rowsOf(table.length, (i) => valueAt(flows, i) === flow);
    const bytes = { data: 0, ack: 0 };
    for (const i of mine) bytes[/** @type {"data" | "ack"} */ (valueAt(ways, i))] += payload[i];
    /** On which way most of the flow's payload goes: a web page's answers come back to who began it. */
    this.way = bytes.ack > bytes.data ? "ack" : "data";
    this.data = mine.filter((i) => valueAt(ways, i) === this.way && payload[i] > 0);
    const connections = new Map(this.data.map((i) => [connectionAt(table, i), i]));
    /** Does all of it go over one connection? Several have no common window. */
    this.alone = connections.size === 1;
    /** @type {Map<number, number>} */
    this._acknowledged = new Map();
  }

  /**
   * The flow's packets back to its sender that had come in there before a time.
   * @param {number} untilNs
   */
  _arrived(untilNs) {
    const { table, arrivedNs } = this.found.accounts.packets;
    const [flows, ways] = [table.column("flow"), table.column("way")];
    const back = this.way === "ack" ? "data" : "ack";
    return rowsOf(table.length, (i) => {
      if (arrivedNs[i] < 0 || arrivedNs[i] >= untilNs) return false;
      return valueAt(flows, i) === this.flow && valueAt(ways, i) === back;
    });
  }

  /**
   * The first byte that nobody had acknowledged at a time.
   * @param {number} atNs
   */
  acknowledged(atNs) {
    const known = this._acknowledged.get(atNs);
    if (known !== undefined) return known;
    const ack = numbersOf(this.found.accounts.packets.table, "ack");
    const rows = this._arrived(atNs);
    const found = rows.reduce((most, i) => Math.max(most, ack[i]), rows.length > 0 ? ack[rows[0]] : 0);
    this._acknowledged.set(atNs, found);
    return found;
  }

  /**
   * The packets of data that it had sent and nobody had acknowledged at a time.
   * @param {number} atNs
   */
  outstanding(atNs) {
    const una = this.acknowledged(atNs);
    const { table, leftNs } = this.found;
    const [seq, payload] = [numbersOf(table, "seq"), numbersOf(table, "payload")];
    return this.data.filter((i) => seq[i] + payload[i] > una && leftNs[i] < atNs);
  }

  /**
   * una: the first byte not acknowledged at the beginning, sacked: the ranges beyond it that were. cwnd, ssthresh
   * (segments; null: not set yet) and state: at the times in µs at which they changed, the last one before the beginning
   * first. way, where it is "ack": of what goes back to who began the connection.
   * @param {number} beginNs
   * @param {number} endNs
   */
  shown(beginNs, endNs) {
    const [probe, states] = ["tcp_probe", "cong_states"].map((name) => this._events(name));
    const [window, least] = ["snd_cwnd", "ssthresh"].map((name) => numbersOf(probe.table, name));
    const state = states.table.column("state");
    /** @type {<Value>(events: typeof probe, value: (i: number) => Value) => Change<Value>[]} */
    const changed = ({ rows, atUs }, value) =>
      changes(
        rows.map((i) => ({ at: atUs(i), value: value(i) })),
        beginNs,
        endNs,
      );
    return {
      flow: this.flow,
      ...(this.way === "ack" ? { way: "ack" } : {}),
      una: this.acknowledged(beginNs),
      sacked: this._sacked(beginNs),
      cwnd: packed(
        changed(probe, (i) => window[i]),
        numbers,
      ),
      ssthresh: packed(
        changed(probe, (i) => (least[i] >= UNSET ? null : least[i])),
        numbers,
      ),
      state: packed(
        changed(states, (i) => String(valueAt(state, i))),
        texts,
      ),
    };
  }

  /**
   * What the kernel's trace has of the sender. A server's connections are named by their addresses, as
   * "10.0.0.1:80>10.0.0.2:40000" or, where the kernel tells no ports, "10.0.0.1>10.0.0.2".
   * @param {string} name of a table of events
   */
  _events(name) {
    const { table } = this.found;
    const [first] = this.data;
    const ends = ["src", "sport", "dst", "dport"].map((column) => table.value(column, first));
    const [src, sport, dst, dport] = ends;
    const others = rowsOf(
      table.length,
      (i) => table.value("src", i) === src && table.value("dst", i) === dst,
    );
    const ports = new Set(others.map((i) => `${table.value("sport", i)} ${table.value("dport", i)}`));
    const names = [`${src}:${sport}>${dst}:${dport}`, ...(ports.size === 1 ? [`${src}>${dst}`] : [])];
    const events = this.found.result.table(name);
    const [flows, sides] = [events.column("flow"), events.column("side")];
    const times = numbersOf(events, "time_s");
    const rows = rowsOf(events.length, (i) => {
      const flow = valueAt(flows, i);
      return (flow === this.flow && valueAt(sides, i) === "sender") || names.includes(String(flow));
    });
    return { table: events, rows, atUs: (/** @type {number} */ i) => rounded(times[i] * 1e6) };
  }

  /**
   * Ranges beyond the acknowledged byte, in order, none touching another.
   * @param {number} atNs
   */
  _sacked(atNs) {
    const { table } = this.found.accounts.packets;
    const una = this.acknowledged(atNs);
    const rows = this._arrived(atNs);
    /** @type {[number, number][]} */
    const blocks = [];
    for (let block = 1; block <= SACK_BLOCKS; block++) {
      const [left, right] = ["left", "right"].map((edge) => numbersOf(table, `sack${block}_${edge}`));
      for (const i of rows) if (right[i] > una && left[i] >= 0) blocks.push([left[i], right[i]]);
    }
    /** @type {[number, number][]} */
    const joined = [];
    for (const [left, right] of blocks.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
      const last = joined.at(-1);
      if (last !== undefined && left <= last[1]) last[1] = Math.max(last[1], right);
      else joined.push([left, right]);
    }
    return joined;
  }
}

/**
 * The TCP flows of the run whose data are on one connection.
 * @param {Journeys} found
 */
export function sending(found) {
  const flows = found.accounts.run.layout.flows.filter((flow) => flow.protocol === "tcp");
  return flows.map((flow) => new Sender(found, flow.name)).filter((sender) => sender.alone);
}

/**
 * @param {Table} table
 * @param {number} i
 */
function connectionAt(table, i) {
  return ["src", "sport", "dst", "dport"].map((name) => table.value(name, i)).join(" ");
}

/**
 * Only where it becomes another one.
 * @template Value
 * @param {readonly Change<Value>[]} all
 * @param {number} beginNs
 * @param {number} endNs
 */
function changes(all, beginNs, endNs) {
  const [begin, end] = [beginNs, endNs].map((ns) => Math.floor(ns / NS_PER_US));
  /** @type {Change<Value>[]} */
  const kept = [];
  /** @type {Change<Value> | null} */
  let before = null;
  for (const one of all) {
    if (one.at > end) break;
    const last = kept.at(-1) ?? before;
    if (one.at < begin) before = one;
    else if (last === null || last.value !== one.value) kept.push(one);
  }
  return before === null ? kept : [before, ...kept];
}

/**
 * @template Value
 * @param {readonly Change<Value>[]} kept
 * @param {(values: Value[]) => Packed} pack
 */
function packed(kept, pack) {
  return {
    count: kept.length,
    at: differences(kept.map((one) => one.at)),
    value: pack(kept.map((one) => one.value)),
  };
}
