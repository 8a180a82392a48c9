// What a film shows for those who do not see it: a sentence, and a table of its losses.

import { count, fixed, general, listing } from "../charts/words.mjs";
import { order, valueAt } from "../decode/table.mjs";
import { numbersOf } from "./film_columns.mjs";

/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/**
 * Something that a page can show: a table of a figure, each column by its name and title.
 * @typedef {{columns: [string, string][], rows: (string | number)[][]}} Shown
 */

const TABLE_ROWS = 200;
const DIGITS = 6;
const TITLES = [
  "Lost (s)",
  "Flow",
  "Way",
  "Sequence number",
  "Where",
  "Cause",
  "Kernel's reason",
  "Sent again (s)",
];

/**
 * What a reader who does not see it should know.
 * @param {Journeys} found
 * @param {readonly number[]} which packets
 * @param {number} begin ns
 * @param {number} end ns
 */
export function described(found, which, begin, end) {
  const way = found.table.column("way");
  const ways = which.map((i) => valueAt(way, i));
  const data = ways.filter((one) => one === "data").length;
  const acks = ways.filter((one) => one === "ack").length;
  const other = which.length - data - acks;
  const parts = [count(data, "data packet"), count(acks, "packet back", "packets back")];
  if (other > 0) parts.push(count(other, "other packet"));
  const hosts = listing(Object.keys(found.accounts.run.layout.hosts));
  const film = `A film of ${general((end - begin) / 1e9, 3)} s of a run, from ${general(begin / 1e9)} s on`;
  return `${film}: ${listing(parts)} between the hosts ${hosts}; ${lost(found, lostRows(found, which))}.`;
}

/**
 * The rows of the ledger that are of these packets.
 * @param {Journeys} found
 * @param {readonly number[]} which
 */
function lostRows({ entry }, which) {
  return which.map((i) => entry[i]).filter((row) => row >= 0);
}

/**
 * @param {Journeys} found
 * @param {readonly number[]} rows of the ledger
 */
function lost({ losses }, rows) {
  if (rows.length === 0) return "none was lost";
  /** @param {number} row */
  const place = (row) => {
    const [host, peer, cause] = ["host", "peer", "cause"].map((name) => losses.value(name, row));
    return peer ? `on the way from ${host} to ${peer} (${cause})` : `at ${host} (${cause})`;
  };
  return `lost: ${listing([...counted(rows.map(place))].map(([where, n]) => `${n} ${where}`))}`;
}

/**
 * How often there is each, in the order in which they come.
 * @param {readonly string[]} values
 */
function counted(values) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}

/**
 * The losses, packet by packet; without any, how many packets of each flow arrived.
 * @param {Journeys} found
 * @param {readonly number[]} which packets
 * @returns {Shown}
 */
export function shownTable(found, which) {
  const rows = lostRows(found, which);
  if (rows.length > 0) return columns(TITLES, lossLines(found, rows));
  const [flow, way] = [found.table.column("flow"), found.table.column("way")];
  const kinds = counted(which.map((i) => `${valueAt(flow, i) ?? "none"}\0${valueAt(way, i) ?? ""}`));
  return columns(
    ["Flow", "Way", "Packets, none of them lost"],
    [...kinds].map(([kind, n]) => [...kind.split("\0"), n]),
  );
}

/**
 * @param {Journeys} found
 * @param {readonly number[]} rows of the ledger
 */
function lossLines({ losses }, rows) {
  const lostS = numbersOf(losses, "lost_s");
  const sorted = order(rows.length, (n) => lostS[rows[n]]).slice(0, TABLE_ROWS);
  return Array.from(sorted, (n) => {
    const { flow, way, seq, host, peer, cause, reason, retransmitted_s: again } = losses.row(rows[n]);
    return [
      Number(fixed(lostS[rows[n]], DIGITS)),
      String(flow ?? ""),
      String(way ?? ""),
      Number(seq),
      peer ? `${host} to ${peer}` : String(host),
      String(cause),
      String(reason),
      again === null ? "" : Number(fixed(Number(again), DIGITS)),
    ];
  });
}

/**
 * @param {readonly string[]} titles
 * @param {(string | number)[][]} rows
 * @returns {Shown}
 */
function columns(titles, rows) {
  return { columns: titles.map((title) => [title, title]), rows };
}
