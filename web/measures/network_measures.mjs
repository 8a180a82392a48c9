// What a network did to packets, for the whole run: its queues, its ports, its ledger.

import { EmptyFigureError } from "../charts/figure.mjs";
import { least, mean, most, quantile, sum } from "../charts/numpy_arithmetic.mjs";
import { fullest, lengthOf, waitOf } from "../charts/queue_data.mjs";
import { numbersOf, textsOf } from "../charts/runs.mjs";
import { compared } from "../decode/table.mjs";
import { ledger } from "../results/ledger.mjs";
import { ackedSince } from "./per_flow.mjs";
import { rowsBy } from "./values_by_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */
/** @typedef {import("./values_by_flow.mjs").Value} Value */
/** @typedef {(result: Result, since: number) => Value} Figure */

const AROUND = 65536; // identifications count up, and begin anew there
const UNDO = ["Full", "Partial", "DSACK", "Loss"].map((way) => `TcpExtTCP${way}Undo`);

/**
 * Of what is read of the fullest queue from then on; nothing if no packet reached one.
 * @template {{time_s: number}} T
 * @param {(result: Result, at: import("../charts/queue_data.mjs").Place) => T[]} read
 * @param {(row: T) => number} value
 * @param {(values: number[]) => number} figure
 * @returns {Figure}
 */
function queued(read, value, figure) {
  return (result, since) => {
    try {
      const values = read(result, fullest(result))
        .filter(({ time_s }) => time_s >= since)
        .map(value);
      return values.length ? figure(values) : null;
    } catch (error) {
      if (error instanceof EmptyFigureError) return null;
      throw error;
    }
  };
}

/**
 * By how much counters have moved, of all hosts or of one.
 * @param {Result} result
 * @param {readonly string[]} names
 * @param {string} [host]
 */
export function counted(result, names, host) {
  const table = result.table("counters");
  const [known, hosts] = [textsOf(table, "name"), textsOf(table, "host")];
  const mine = (/** @type {number} */ row) => host === undefined || hosts[row] === host;
  return sum(numbersOf(table, "delta").filter((_, row) => names.includes(known[row]) && mine(row)));
}

/**
 * By how much a counter of hosts' own ports has moved, of all or of one.
 * @param {Result} result
 * @param {string} name
 * @param {string} [host]
 */
function ofPorts(result, name, host) {
  const table = result.table("interfaces");
  const [roles, names, hosts] = ["role", "name", "host"].map((column) => textsOf(table, column));
  return sum(
    numbersOf(table, "delta").filter(
      (_, row) => roles[row] === "host" && names[row] === name && (host === undefined || hosts[row] === host),
    ),
  );
}

/** @type {Figure} */
function jain(result, since) {
  const rates = [...ackedSince(result, since).values()].filter((rate) => !Number.isNaN(rate));
  const squares = sum(rates.map((rate) => rate ** 2));
  return squares ? sum(rates) ** 2 / (rates.length * squares) : null;
}

/** @type {Figure} */
function frameLoss(result) {
  const [{ src, dst }] = result.recorded.layout.flows;
  const sent = ofPorts(result, "tx_packets", src);
  return sent ? ofPorts(result, "rx_crc_errors", dst) / sent : null;
}

/** @type {Figure} */
function marks(result) {
  const table = result.table("backlog");
  const [peers, values] = [textsOf(table, "peer"), numbersOf(table, "marks")];
  const each = [...rowsBy(table, "host").values()].flatMap((rows) => {
    const of = new Set(rows.map((row) => peers[row]));
    return [...of].map((peer) => most(rows.filter((row) => peers[row] === peer).map((row) => values[row])));
  });
  return sum(each);
}

/** @type {Figure} */
function lossEvents(result) {
  const info = result.table("tcp_info");
  const sides = textsOf(info, "side");
  const trips = numbersOf(info, "min_rtt").filter((_, row) => sides[row] === "sender");
  if (trips.length === 0) return null;
  const drops = result.table("drops");
  const places = textsOf(drops, "place");
  let [begun, events] = [Number.NEGATIVE_INFINITY, 0];
  for (const time of numbersOf(drops, "time_s")
    .filter((_, row) => places[row] === "wire")
    .sort()) {
    if (time > begun + least(trips) / 1e6) [begun, events] = [time, events + 1];
  }
  return events;
}

/** @type {Figure} */
function reordered(result) {
  const table = result.packetTable(result.recorded.layout.flows[0].dst);
  const directions = textsOf(table, "direction");
  const ids = numbersOf(table, "ip_id").filter((_, row) => directions[row] === "in");
  let [at, newest, late] = [0, Number.NEGATIVE_INFINITY, 0];
  ids.forEach((id, i) => {
    if (i) at += around(id - ids[i - 1]);
    if (at < newest) late++;
    newest = Math.max(newest, at);
  });
  return ids.length ? late / ids.length : null;
}

/**
 * A step of identifications, the shorter way round.
 * @param {number} step
 */
function around(step) {
  return step - AROUND * Math.round(step / AROUND);
}

/**
 * "12 dupacks, 3 timeout": how often each stands in the ledger, the most frequent first.
 * @param {string} column
 * @returns {Figure}
 */
function ofLedger(column) {
  return (result, since) => {
    const table = ledger(result);
    const sent = numbersOf(table, "sent_s");
    const found = [...rowsBy(table, column, (row) => sent[row] >= since)]
      .filter(([word]) => word !== "")
      .map(([word, rows]) => ({ word, count: rows.length }))
      .sort((a, b) => b.count - a.count || compared(a.word, b.word));
    return found.map(({ word, count }) => `${count} ${word}`).join(", ") || "none";
  };
}

/** @type {Record<string, Figure>} */
const FIGURES = {
  jain,
  queue_max: queued(lengthOf, ({ packets }) => packets, most),
  queue_wait_mean_ms: queued(waitOf, ({ ms }) => ms, mean),
  queue_wait_p99_ms: queued(
    waitOf,
    ({ ms }) => ms,
    (values) => quantile(values, 0.99),
  ),
  queue_drops: (result) =>
    textsOf(result.table("drops"), "place").filter((place) => place === "queue").length,
  marks,
  crc_errors: (result) => ofPorts(result, "rx_crc_errors"),
  frame_loss: frameLoss,
  ring_drops: (result) => ofPorts(result, "rx_missed_errors"),
  ip_checksum_errors: (result) => counted(result, ["IpInHdrErrors"]),
  tcp_checksum_errors: (result) => counted(result, ["TcpInCsumErrors"]),
  undone: (result) => counted(result, UNDO),
  spurious: (result) => counted(result, ["TcpExtTCPDSACKRecv"]),
  loss_events: lossEvents,
  reordered,
  causes: ofLedger("cause"),
  found_by: ofLedger("found_by"),
};

/**
 * @param {Result} result
 * @param {string} name
 * @param {number} since
 * @returns {Rows}
 */
export function network(result, name, since) {
  return new Map([["", FIGURES[name](result, since)]]);
}
