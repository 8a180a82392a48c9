// The parts of a film that are about packets: devices, ends, routes, packets, losses. The format:
// labkit/player/film.py.

import { SACK_BLOCKS } from "../decode/headers.mjs";
import { order, valueAt } from "../decode/table.mjs";
import { inNs, inUs, numbersOf, rounded } from "./film_columns.mjs";
import { rowsOf } from "./journeys.mjs";
import { differences, numbers, texts } from "./packing.mjs";
import { routes } from "./routes.mjs";

/** @typedef {import("./between.mjs").Instant} Instant */
/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/** @typedef {import("../decode/table.mjs").Table} Table */

const FIELDS = ["seq", "ack", "ip_id", "window", "tsval", "tsecr"]; // change little from packet to packet
const ENDS = ["src", "sport", "dst", "dport", "protocol", "flow", "way"];

/**
 * @param {Journeys} found
 * @param {readonly Instant[]} more
 * @param {readonly number[]} which packets, in order
 */
export function packed(found, more, which) {
  const devices = found.accounts.run.layout.interfaces.filter((one) => one.role === "host");
  const taken = routes(found, more, which, new Map(devices.map((one, n) => [one.index, n])));
  const table = found.table.pick(which);
  const { ends, of } = endsOf(found, table);
  /** @param {string} name */
  const column = (name) => numbers(numbersOf(table, name));
  const flags = table.column("flags");
  return {
    devices: devices.map((one) => [one.host, one.peer]),
    ends,
    routes: taken.routes,
    packets: {
      count: which.length,
      route: numbers(taken.route),
      at: differences(taken.firstUs),
      ends: numbers(of),
      ...Object.fromEntries(FIELDS.map((name) => [name, numbers(turned(numbersOf(table, name), of))])),
      payload: column("payload"),
      length: column("length"),
      transmission: numbers(which.map((i) => found.transmission[i])),
      flags: texts(which.map((_, n) => String(valueAt(flags, n)))),
      ...sacks(table),
    },
    losses: losses(found, which),
  };
}

/**
 * The distinct ends of packets, and which of them each packet has.
 * @param {Journeys} found
 * @param {Table} table
 */
function endsOf(found, table) {
  const flows = found.accounts.run.layout.flows.map((flow) => flow.name);
  const columns = ENDS.map((name) => table.column(name));
  /** @type {Map<string, number>} */
  const known = new Map();
  /** @type {(string | number)[][]} */
  const ends = [];
  const of = Array.from({ length: table.length }, (_, i) => {
    const values = columns.map((column) => valueAt(column, i) ?? "");
    const key = values.join("\0");
    const number = known.get(key);
    if (number !== undefined) return number;
    const [src, sport, dst, dport, protocol, flow, way] = values.map(String);
    known.set(key, ends.length);
    return ends.push([src, Number(sport), dst, Number(dport), protocol, flows.indexOf(flow), way]) - 1;
  });
  return { ends, of };
}

/**
 * Differences to the packet before of the same ends, the first one whole: the same again and again for what goes on
 * evenly.
 * @param {ArrayLike<number>} values
 * @param {readonly number[]} of
 */
function turned(values, of) {
  /** @type {Map<number, number>} */
  const before = new Map();
  return of.map((ends, i) => {
    const step = values[i] - (before.get(ends) ?? 0);
    before.set(ends, values[i]);
    return step;
  });
}

/**
 * How many blocks each packet has, and all their edges, counted from its acknowledgement.
 * @param {Table} table
 */
function sacks(table) {
  const count = Array.from(numbersOf(table, "sacks"), (n) => Math.min(Math.max(n, 0), SACK_BLOCKS));
  const ack = numbersOf(table, "ack");
  const [left, right] = ["left", "right"].map((edge) =>
    Array.from({ length: SACK_BLOCKS }, (_, block) => numbersOf(table, `sack${block + 1}_${edge}`)),
  );
  /** @type {number[]} */
  const edges = [];
  count.forEach((blocks, i) => {
    for (let k = 0; k < blocks; k++) edges.push(left[k][i] - ack[i], right[k][i] - left[k][i]);
  });
  return { sacks: numbers(count), edges: numbers(edges) };
}

/**
 * What the ledger has of these packets.
 * @param {Journeys} found
 * @param {readonly number[]} which
 */
function losses({ entry, losses: table, lostAt, accounts: { drops, places } }, which) {
  const lost = rowsOf(which.length, (n) => entry[which[n]] >= 0);
  const lostS = numbersOf(table, "lost_s");
  const sorted = Array.from(
    order(lost.length, (k) => lostS[entry[which[lost[k]]]]),
    (k) => lost[k],
  );
  const rows = sorted.map((n) => entry[which[n]]);
  /** @param {string} name */
  const told = (name) => texts(rows.map((row) => String(table.value(name, row) ?? "")));
  /** @param {string} name @param {number} [unit] */
  const some = (name, unit = 1) => {
    const column = numbersOf(table, name);
    return numbers(rows.map((row) => (Number.isNaN(column[row]) ? null : rounded(column[row] * unit))));
  };
  return {
    count: rows.length,
    packet: differences(sorted),
    at: differences(rows.map((row) => inUs(inNs(lostS[row])))),
    host: told("host"),
    peer: told("peer"),
    place: texts(rows.map((row) => places.where[lostAt[row]].place)),
    cause: told("cause"),
    reason: told("reason"),
    function: texts(rows.map((row) => drops.functions[lostAt[row]])),
    found_by: told("found_by"),
    retransmitted: some("retransmitted_s", 1e6),
    recovered: some("recovered_s", 1e6),
    cwnd_before: some("cwnd_before"),
    cwnd_after: some("cwnd_after"),
    burst: some("burst"),
  };
}
