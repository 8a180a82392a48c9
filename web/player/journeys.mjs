// The way of every captured frame through the network: which frame each one was on the hop before.
//
// A packet is a tree of frames: captured as it leaves its sender, as it comes in at the next host, as it leaves that one,
// and so on. It has branches only where a wire has made a copy. Every frame of the captures is in one packet once. What
// is known of lost packets comes from the ledger.

import { addressNumber } from "../decode/bytes.mjs";
import { packetTable } from "../decode/connections.mjs";
import { FILM } from "../decode/facts.mjs";
import { Accounts, LOST } from "../results/accounts.mjs";
import { ledgerOf } from "../results/ledger.mjs";
import { always, needs, requireRecorded } from "../results/prerequisites.mjs";
import { belonging } from "../results/sightings.mjs";
import { transmissions } from "../results/transmissions.mjs";
import { inNs, numbersOf } from "./film_columns.mjs";

/** @typedef {import("../decode/frames.mjs").Frames} Frames */
/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("../decode/types.mjs").Layout} Layout */
/** @typedef {import("../decode/types.mjs").ExperimentSpec} ExperimentSpec */
/** @typedef {import("../results/identity.mjs").Sighted} Sighted */
/** @typedef {import("../results/prerequisites.mjs").Needs} Needs */

/**
 * What a film is made of: all that a ledger is, queues, and captures at every host.
 * @param {ExperimentSpec} experiment
 * @param {Layout} layout
 * @returns {Needs}
 */
export function filmNeeds(experiment, layout) {
  const { probes } = needs(experiment, layout);
  return { probes: [...new Set([...probes, ...FILM.probes])], capture: Object.keys(layout.hosts) };
}

/**
 * Captured frames in the order of time, and what they are of.
 *
 * before: for each frame the one that it was on the hop before; -1: its packet begins with it. packet: for each frame
 * the number of its packet. first: for each packet its first frame; packets are in the order of their first frames.
 * table: one row a packet, as in a packet table; transmission: how often its data had been sent. entry: for each packet
 * its row in `losses`, the ledger; -1: it was not lost. lostAt: the number of the drop of each of these rows.
 */
export class Journeys {
  /**
   * @param {Result} result
   * @throws {import("../results/result.mjs").ProbeMissingError}
   * @throws {import("../results/captured.mjs").CaptureMissingError}
   */
  constructor(result) {
    const { experiment, layout, untilNs } = result.recorded;
    const wanted = filmNeeds(experiment, layout);
    const needed = [...always(layout).probes, ...FILM.probes];
    requireRecorded(experiment, { ...wanted, probes: needed }, wanted);
    this.result = result;
    this.accounts = new Accounts(result);
    const { every, hosts } = this.accounts;
    const known = layout.interfaces.filter((one) => one.role === "host");
    const seen = rowsOf(
      every.length,
      (i) => every.frames.atNs[i] <= untilNs && hosts.has(every.frames.interface[i]),
    );
    this.sighted = every.pick(seen);
    this.frames = this.sighted.frames;
    this.before = new Int32Array(seen.length).fill(-1);
    this._passing = byDevice(this.frames);
    this._join(seen);
    const first = rowsOf(seen.length, (i) => this.before[i] < 0);
    this.first = Int32Array.from(first);
    this.length = first.length;
    this.packet = packetsOf(this.before);
    const names = new Map(known.map((one) => [one.index, `${one.host}.${one.name}`]));
    this.table = packetTable(this.frames.pick(first), names, layout.flows, { checked: false });
    this.transmission = transmissions(this.table);
    this.losses = ledgerOf(this.accounts);
    const { fate, drop } = this.accounts.packets;
    const lost = rowsOf(fate.length, (i) => fate[i] === LOST);
    this.lostAt = lost.map((i) => drop[i]);
    const places = new Map(lost.map((i, n) => [this.accounts.seen.frames.offset[i], n]));
    this.entry = Int32Array.from(first, (i) => places.get(this.frames.offset[i]) ?? -1);
    this.leftNs = Float64Array.from(first, (i) => this.frames.atNs[i]);
    this.endedNs = this._ended();
  }

  /**
   * Find for each frame the one that it was before: over each link, and through each host.
   * @param {readonly number[]} numbers of the frames among all that were captured
   */
  _join(numbers) {
    const { run, hosts, causes, addresses } = this.accounts;
    for (const { out, into } of run.layout.ways) this._joinThese(this.passing(out, 1), this.passing(into, 0));
    for (const host of new Set(hosts.values())) {
      const owned = [...causes.network.owner].filter(([, owner]) => owner === host);
      const own = new Set(owned.map(([address]) => addressNumber(address)));
      const devices = [...hosts.keys()].filter((index) => hosts.get(index) === host);
      /** @param {0 | 1} outgoing @param {Float64Array} ends */
      const through = (outgoing, ends) => {
        const passing = devices.flatMap((index) => this.passing(index, outgoing));
        return passing.filter((i) => !own.has(ends[numbers[i]])).sort((a, b) => a - b);
      };
      this._joinThese(through(0, addresses.dst), through(1, addresses.src));
    }
  }

  /**
   * The frames that a device sent or received.
   * @param {number} index
   * @param {0 | 1} outgoing
   * @returns {readonly number[]}
   */
  passing(index, outgoing) {
    return this._passing.get(2 * index + outgoing) ?? [];
  }

  /**
   * @param {readonly number[]} sent
   * @param {readonly number[]} seen
   */
  _joinThese(sent, seen) {
    if (sent.length === 0 || seen.length === 0) return;
    const { dropped, flips } = this.accounts;
    const { arrival } = belonging(this.sighted.pick(sent), this.sighted.pick(seen), dropped, flips);
    arrival.forEach((match, n) => {
      if (match >= 0) this.before[seen[n]] = sent[match];
    });
  }

  /** When the last was seen of each packet, its loss included. */
  _ended() {
    const last = new Float64Array(this.length).fill(-1);
    this.packet.forEach((number, i) => {
      last[number] = Math.max(last[number], this.frames.atNs[i]);
    });
    const lostS = numbersOf(this.losses, "lost_s");
    this.entry.forEach((row, number) => {
      if (row >= 0) last[number] = Math.max(last[number], inNs(lostS[row]));
    });
    return last;
  }
}

/**
 * The numbers below `length` for which something holds.
 * @param {number} length
 * @param {(i: number) => boolean} wanted
 */
export function rowsOf(length, wanted) {
  const found = [];
  for (let i = 0; i < length; i++) if (wanted(i)) found.push(i);
  return found;
}

/**
 * The frames that each device sent (twice its index and one) and received (twice its index).
 * @param {Frames} frames
 */
function byDevice({ interface: index, outgoing, length }) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (let i = 0; i < length; i++) {
    const key = 2 * index[i] + outgoing[i];
    const known = found.get(key);
    if (known === undefined) found.set(key, [i]);
    else known.push(i);
  }
  return found;
}

/**
 * The number of each frame's packet.
 * @param {Int32Array} before
 */
function packetsOf(before) {
  const number = new Int32Array(before.length);
  let count = 0;
  before.forEach((one, i) => {
    if (one < 0) number[i] = count++;
  });
  return number.map((_, i) => {
    let root = i;
    while (before[root] >= 0) root = before[root];
    return number[root];
  });
}
