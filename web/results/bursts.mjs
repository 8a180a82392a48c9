// Runs of losses in a row among the packets that came to one wire, in the order of their sending.

import { CAUSES } from "../decode/facts.mjs";
import { valueAt } from "../decode/table.mjs";
import { DELIVERED } from "./accounts.mjs";

/** @typedef {import("./accounts.mjs").Accounts} Accounts */

const { wireLoss, burstLoss } = CAUSES.words;

/**
 * The number of the run that each lost packet is in; 0: lost alone, or elsewhere.
 * @param {Accounts} accounts
 * @param {Int32Array} lost numbers of the packets
 */
export function bursts(accounts, lost) {
  const { places, packets } = accounts;
  /** @type {Map<string, {host: string, peer: string, dead: number[]}>} */
  const wires = new Map();
  for (const i of lost) {
    const { host, peer } = places.where[packets.drop[i]];
    if (![wireLoss, burstLoss].includes(places.why[packets.drop[i]])) continue;
    const wire = wires.get(`${host}\0${peer}`) ?? { host, peer, dead: [] };
    wires.set(`${host}\0${peer}`, wire);
    wire.dead.push(i);
  }
  /** @type {Map<number, number>} */
  const burst = new Map();
  let number = 0;
  for (const wire of wires.values()) {
    for (const run of runs(wire.dead, passed(accounts, wire))) {
      if (run.length < 2) continue;
      number++;
      for (const i of run) burst.set(i, number);
    }
  }
  return Int32Array.from(lost, (i) => burst.get(i) ?? 0);
}

/**
 * Dead packets between which none passed.
 * @param {readonly number[]} dead in order
 * @param {readonly number[]} alive in order
 */
function runs(dead, alive) {
  /** @type {number[][]} */
  const found = [];
  let next = 0;
  let before = -1;
  for (const i of dead) {
    while (next < alive.length && alive[next] < i) next++;
    if (next === before) found[found.length - 1].push(i);
    else found.push([i]);
    before = next;
  }
  return found;
}

/**
 * Which delivered packets had a wire on their way.
 * @param {Accounts} accounts
 * @param {{host: string, peer: string}} wire
 */
function passed({ causes: { network }, packets: { table, fate } }, { host, peer }) {
  const [src, dst] = [table.column("src"), table.column("dst")];
  /** @type {Map<string, boolean>} */
  const known = new Map();
  const rows = [];
  for (let i = 0; i < fate.length; i++) {
    if (fate[i] !== DELIVERED) continue;
    const [from, to] = [valueAt(src, i), valueAt(dst, i)];
    if (from === null || to === null) continue;
    const ends = `${from} ${to}`;
    const over =
      known.get(ends) ??
      network.path(String(from), String(to)).some((way) => way.host === host && way.peer === peer);
    known.set(ends, over);
    if (over) rows.push(i);
  }
  return rows;
}
