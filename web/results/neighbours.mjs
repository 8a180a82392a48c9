// Packets that a router still holds when the run ends: it has asked for its neighbour's address (RFC 826) and has no
// answer yet. They came in, did not go out, were not freed, and are in no queue that it shows.

import { ETHERNET } from "../decode/headers.mjs";

/** @typedef {import("../decode/frames.mjs").Frames} Frames */
/** @typedef {import("./identity.mjs").Sighted} Sighted */

const ARP = 0x0806;
const REQUEST = 1;
const REPLY = 2;
const LENGTH = 28; // bytes of a request for an IPv4 address
const OPERATION = 6; // where in it
const SENDER = 14;
const TARGET = 24;

/**
 * How many of `packets`, which hosts sent and nobody got, are held by a host that waits for an answer.
 * @param {Sighted} seen all that was captured until the end
 * @param {ReadonlyMap<number, string>} hosts interface index -> host
 * @param {Sighted} packets
 */
export function held({ frames, identity }, hosts, packets) {
  const asking = new Set([...askingBy(frames)].map((index) => hosts.get(index)));
  const lost = new Set(packets.identity);
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  identity.forEach((number, i) => {
    const host = hosts.get(frames.interface[i]);
    if (host === undefined || !asking.has(host) || !lost.has(number)) return;
    const known = rows.get(number);
    if (known === undefined) rows.set(number, [i]);
    else known.push(i);
  });
  let found = 0;
  packets.identity.forEach((number, n) => {
    const last = rows.get(number)?.at(-1);
    const here = last !== undefined && frames.atNs[last] >= packets.frames.atNs[n];
    if (here && !frames.outgoing[last]) found++; // the last that was seen of it: it came in
  });
  return found;
}

/**
 * Interfaces by which somebody's address was asked for, without an answer since.
 * @param {Frames} frames
 */
function askingBy({ bytes, length, interface: index, outgoing, offset, captured }) {
  /** @type {Map<string, number>} */
  const waiting = new Map();
  for (let i = 0; i < length; i++) {
    const at = offset[i] + ETHERNET;
    if (captured[i] < ETHERNET + LENGTH || bytes.u2Network(at - 2) !== ARP) continue;
    const operation = bytes.u2Network(at + OPERATION);
    if (operation === REQUEST && outgoing[i]) {
      waiting.set(`${index[i]} ${bytes.u4Network(at + TARGET)}`, index[i]);
    } else if (operation === REPLY && !outgoing[i]) {
      waiting.delete(`${index[i]} ${bytes.u4Network(at + SENDER)}`);
    }
  }
  return new Set(waiting.values());
}
