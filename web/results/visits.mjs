// How many packets a queue held at a time, and whether its device refused any: from other tables of the run.

import { sortedPlace } from "./search.mjs";

/** @typedef {import("../decode/table.mjs").Table} Table */
/**
 * Tables of the same run, which some causes need.
 * @typedef {{queue: () => Table, classes: () => Table, interfaces: () => Table}} Needed
 */

/** Stays in queues, by the two ends of a direction. */
export class Visits {
  /** @param {Needed} needed */
  constructor(needed) {
    this._needed = needed;
    /** @type {Map<string, {came: Float64Array, left: Float64Array}>} */
    this._known = new Map();
    /** @type {Map<string, boolean>} */
    this._refusals = new Map();
  }

  /**
   * Packets in a queue just before a time.
   * @param {string} host
   * @param {string} peer
   * @param {number} timeS
   */
  held(host, peer, timeS) {
    const { came, left } = this._of(host, peer);
    return sortedPlace(came, timeS, "left") - sortedPlace(left, timeS, "right");
  }

  /**
   * When packets came into a queue and left it, each in order; what was dropped left at once.
   * @param {string} host
   * @param {string} peer
   */
  _of(host, peer) {
    const key = `${host}\0${peer}`;
    const known = this._known.get(key);
    if (known !== undefined) return known;
    const table = this._needed.queue();
    /** @type {number[]} */
    const came = [];
    /** @type {number[]} */
    const left = [];
    for (let i = 0; i < table.length; i++) {
      if (table.value("host", i) !== host || table.value("peer", i) !== peer) continue;
      const begun = Number(table.value("enqueued_s", i));
      const end = table.value("dropped", i) === true ? begun : table.value("dequeued_s", i);
      came.push(begun);
      if (end !== null) left.push(Number(end));
    }
    const found = { came: Float64Array.from(came), left: Float64Array.from(left).sort() };
    this._known.set(key, found);
    return found;
  }

  /**
   * Did the device towards a peer refuse any packet?
   * @param {string} host
   * @param {string} peer
   */
  refused(host, peer) {
    const key = `${host}\0${peer}`;
    const known = this._refusals.get(key);
    if (known !== undefined) return known;
    const table = this._needed.interfaces();
    let sum = 0;
    for (let i = 0; i < table.length; i++) {
      const mine = table.value("host", i) === host && table.value("peer", i) === peer;
      if (mine && table.value("name", i) === "tx_dropped") sum += Number(table.value("delta", i));
    }
    this._refusals.set(key, sum !== 0);
    return sum !== 0;
  }
}
