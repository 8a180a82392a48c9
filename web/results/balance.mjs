// Does a run add up? Per flow and way what was sent, delivered, lost by cause and in flight; and what queues, wires and
// ports held when the run ended, as the kernel's qdiscs and counters say.

import { LEDGER } from "../decode/facts.mjs";
import { ints, sorted, Table, texts, valueAt } from "../decode/table.mjs";
import { PHASE_AFTER, PHASE_BEFORE } from "../program/structs.mjs";
import { DELIVERED, IN_FLIGHT, LOST } from "./accounts.mjs";
import { PORT } from "./drop_places.mjs";
import { PATIENCE_NS } from "./drops.mjs";
import { held } from "./neighbours.mjs";

/** @typedef {import("./accounts.mjs").Accounts} Accounts */
/** @typedef {{flow: string, way: string, fates: [number, number, number], causes: Map<string, number>}} Group */

/** A run that does not add up. balance: the table that shows it, one row per flow and way. */
export class LedgerError extends Error {
  /**
   * @param {string} message
   * @param {Table} balance
   */
  constructor(message, balance) {
    super(message);
    this.name = "LedgerError";
    this.balance = balance;
  }
}

/**
 * One row per flow and way, and one for packets of no flow: sent, delivered, lost, in_flight, and a column for each
 * cause.
 * @param {Accounts} accounts
 * @returns {Table}
 * @throws {LedgerError} if packets are missing that nothing explains
 */
export function balance(accounts) {
  const groups = grouped(accounts);
  const causes = sorted(new Set(groups.flatMap((group) => [...group.causes.keys()])));
  /** @param {(group: Group) => number} count */
  const column = (count) => ints(groups.map(count));
  const table = new Table({
    flow: texts(groups.map((group) => group.flow)),
    way: texts(groups.map((group) => group.way)),
    sent: column(({ fates }) => fates[0] + fates[1] + fates[2]),
    delivered: column(({ fates }) => fates[DELIVERED]),
    lost: column(({ fates }) => fates[LOST]),
    in_flight: column(({ fates }) => fates[IN_FLIGHT]),
    ...Object.fromEntries(causes.map((cause) => [cause, column((group) => group.causes.get(cause) ?? 0)])),
  });
  check(accounts, table);
  return table;
}

/**
 * @param {Accounts} accounts
 * @returns {Group[]} flows in the order in which they come, and so the ways
 */
function grouped({ packets: { table, fate, drop }, places }) {
  const [flow, way] = [table.column("flow"), table.column("way")];
  /** @type {Map<string, Group>} */
  const found = new Map();
  for (let i = 0; i < fate.length; i++) {
    const names = { flow: String(valueAt(flow, i) ?? LEDGER.other), way: String(valueAt(way, i) ?? "") };
    const key = `${names.flow}\0${names.way}`;
    /** @type {Group} */
    const group = found.get(key) ?? { ...names, fates: [0, 0, 0], causes: new Map() };
    found.set(key, group);
    group.fates[fate[i]]++;
    if (fate[i] !== LOST) continue;
    const cause = places.why[drop[i]];
    group.causes.set(cause, (group.causes.get(cause) ?? 0) + 1);
  }
  const groups = [...found.values()];
  const [flows, ways] = [
    [...new Set(groups.map((group) => group.flow))],
    [...new Set(groups.map((group) => group.way))],
  ];
  return groups.sort(
    (a, b) => flows.indexOf(a.flow) - flows.indexOf(b.flow) || ways.indexOf(a.way) - ways.indexOf(b.way),
  );
}

/**
 * @param {Accounts} accounts
 * @param {Table} table
 */
function check(accounts, table) {
  const { fate, sentNs } = accounts.packets;
  const flying = [];
  for (let i = 0; i < fate.length; i++) if (fate[i] === IN_FLIGHT) flying.push(i);
  if (flying.length === 0) return;
  const parting = flying.filter((i) => sentNs[i] === accounts.endNs); // may be between two qdiscs
  const missing = flying.length - Math.max(underWay(accounts), parting.length);
  if (missing <= 0 || missing <= heldByRouters(accounts, flying)) return;
  const text = `${missing} packets were sent, did not arrive, were not freed and are in no queue or wire`;
  throw new LedgerError(`the run does not add up: ${text}: see this error's balance, and report it`, table);
}

/**
 * Packets that routers hold until they know their neighbour's address.
 * @param {Accounts} accounts
 * @param {readonly number[]} flying
 */
function heldByRouters({ every, endNs, hosts, sent }, flying) {
  const { atNs } = every.frames;
  const rows = [];
  for (let i = 0; i < atNs.length; i++) if (atNs[i] <= endNs + PATIENCE_NS) rows.push(i);
  return held(every.pick(rows), hosts, sent.pick(flying));
}

/**
 * Packets in all queues, on all wires and in all ports when the run ended.
 * @param {Accounts} accounts
 */
export function underWay(accounts) {
  return inQdiscs(accounts) + inPorts(accounts);
}

/** @param {Accounts} accounts */
function inQdiscs({ run: { qdiscs } }) {
  const last = qdiscs.filter((one) => one.phase === PHASE_AFTER && one.root && one.kind !== "noqueue");
  const end = last.reduce((latest, one) => Math.max(latest, one.atNs), Number.NEGATIVE_INFINITY);
  return last.reduce((sum, one) => sum + (one.atNs === end ? one.backlog_packets : 0), 0);
}

/**
 * In rings, FIFOs and on cables: handed over by the sender's host, neither lost nor taken by the receiver's.
 * @param {Accounts} accounts
 */
function inPorts(accounts) {
  const { run, places, causes } = accounts;
  const { links } = run.experiment.topology;
  const { ways } = run.layout;
  const { devices } = causes.network;
  let found = 0;
  for (const link of links.filter((one) => one.nic_a)) {
    for (const [host, peer] of [
      [link.a, link.b],
      [link.b, link.a],
    ]) {
      const way = ways.find(
        (one) => devices.get(one.out)?.host === host && devices.get(one.into)?.host === peer,
      );
      if (way === undefined) throw new RangeError(`the layout has no way from ${host} to ${peer}`);
      const lost = places.where.filter((one) => one.place === PORT && one.host === host && one.peer === peer);
      found += handed(accounts, way.out) - taken(accounts, peer, host) - lost.length;
    }
  }
  return found;
}

/**
 * Packets that a host has taken from its port.
 * @param {Accounts} accounts
 * @param {string} host
 * @param {string} peer
 */
function taken({ result }, host, peer) {
  const table = result.table("interfaces");
  for (let i = 0; i < table.length; i++) {
    const mine = table.value("host", i) === host && table.value("peer", i) === peer;
    if (mine && table.value("name", i) === "rx_packets") return Number(table.value("after", i));
  }
  throw new RangeError(`no statistics of ${host}'s port to ${peer}`);
}

/**
 * Frames that a host gave to a port: by the port's qdisc, or as captured if that was replaced.
 * @param {Accounts} accounts
 * @param {number} index
 */
function handed({ run: { qdiscs, frames, untilNs } }, index) {
  const roots = qdiscs.filter((one) => one.root && one.index === index);
  const same = new Set(roots.map((one) => `${one.handle} ${one.kind}`)).size === 1;
  const [before, after] = [PHASE_BEFORE, PHASE_AFTER].map((phase) =>
    roots.findLast((one) => one.phase === phase),
  );
  if (same && before !== undefined && after !== undefined) return after.sent_packets - before.sent_packets;
  let count = 0;
  for (let i = 0; i < frames.length; i++) {
    if (frames.outgoing[i] && frames.interface[i] === index && frames.atNs[i] <= untilNs) count++;
  }
  return count;
}
