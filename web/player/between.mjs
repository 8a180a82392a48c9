// What lies between two captures of a frame: when it left a queue inside a wire, and a port's ring.
//
// Where a queue stands in front of a captured device, two captures tell how long a frame waited there. Behind one they
// do not. A queue inside a wire (of a sending host) is known from its own events. Of the ports of the teaching NIC the
// speed is known, and so is when each frame's last bit was through: what came after that is the wait in the receiver's
// ring. Whatever contradicts the captures is left out.

import { FILM } from "../decode/facts.mjs";
import { valueAt } from "../decode/table.mjs";
import { inNs, numbersOf } from "./film_columns.mjs";
import { rowsOf } from "./journeys.mjs";

/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/** @typedef {import("../decode/types.mjs").DirectedPath} DirectedPath */
/** @typedef {import("../charts/link_text.mjs").Nic} Nic */
/** @typedef {import("../charts/link_text.mjs").Link} Link */
/** @typedef {{host: string, peer: string}} Ends */
/**
 * frame: which one it is about; kind: beside 0, captured as it left a host, and 1, as it came in: it left a queue inside
 * the wire; its first bit went onto the cable; its last bit was there.
 * @typedef {{frame: number, kind: number, atNs: number}} Instant
 */

const PREAMBLE = 8; // bytes: IEEE 802.3, 3.2.1
const FCS = 4; // 3.2.9
const SHORTEST = 60; // 3.2.8
const GAP_BITS = 96; // 4.4.2
const SETS_A_PORT = /\bethtool\s+(?:-s|--change|-A|--pause)\b/; // its speed, or flow control
const SLACK_NS = 10_000; // timers of the guest are late by less; from capture to queue nothing takes time

/**
 * All that is known of what captures do not show.
 * @param {Journeys} found
 * @returns {Instant[]}
 */
export function instants(found) {
  const { run, hosts } = found.accounts;
  return run.layout.ways.flatMap((way) => {
    const rows = found.passing(way.out, 1);
    if (rows.length === 0) return [];
    const ends = { host: hosts.get(way.out) ?? "", peer: hosts.get(way.into) ?? "" };
    const ports = portsOf(found, ends);
    return [
      ...(way.detach ? dequeued(found, ends, rows) : []),
      ...(ports === null ? [] : crossed(found, way, rows, ports)),
    ];
  });
}

/**
 * When each frame left the queue in the wire. Its rows are in the order in which frames came. What a full queue refuses
 * has one, too, as netem stands in front of it; what netem itself has no room for has none.
 * @param {Journeys} found
 * @param {Ends} ends
 * @param {readonly number[]} rows
 * @returns {Instant[]}
 */
function dequeued(found, ends, rows) {
  const table = found.result.table("queue");
  const [hosts, peers] = [table.column("host"), table.column("peer")];
  const mine = rowsOf(
    table.length,
    (i) => valueAt(hosts, i) === ends.host && valueAt(peers, i) === ends.peer,
  );
  const [came, gone] = [numbersOf(table, "enqueued_s"), numbersOf(table, "dequeued_s")];
  const letIn = rows.length === mine.length ? rows : letInBy(found, ends, rows);
  if (letIn.length !== mine.length) return [];
  const inTime = mine.every((i, n) => {
    const late = inNs(came[i]) - found.frames.atNs[letIn[n]];
    return late >= 0 && late <= SLACK_NS;
  });
  if (!inTime) return [];
  return mine.flatMap((i, n) => {
    const left = { frame: letIn[n], kind: FILM.dequeued, atNs: inNs(gone[i]) };
    return Number.isNaN(gone[i]) ? [] : [left];
  });
}

/**
 * Which of the frames that left were not lost in front of the queue at once.
 * @param {Journeys} found
 * @param {Ends} ends
 * @param {readonly number[]} rows
 */
function letInBy({ entry, packet, frames, losses, lostAt, accounts: { places } }, { host, peer }, rows) {
  const lostS = numbersOf(losses, "lost_s");
  return rows.filter((i) => {
    const row = entry[packet[i]];
    if (row < 0) return true;
    const where = places.where[lostAt[row]];
    const here = where.place === "queue" && where.host === host && where.peer === peer;
    return !here || inNs(lostS[row]) - frames.atNs[i] > SLACK_NS;
  });
}

/**
 * The two ports of a cable and its delay in ns, if frames leave them one after the other at line rate.
 * @param {Journeys} found
 * @param {Ends} ends
 * @returns {{near: Nic, far: Nic, delayNs: number} | null}
 */
function portsOf(found, { host, peer }) {
  const { links } = found.result.recorded.experiment.topology;
  const link = /** @type {Link | undefined} */ (
    links.find((one) => (one.a === host && one.b === peer) || (one.a === peer && one.b === host))
  );
  if (!link?.nic_a || !link.nic_b) return null;
  const forward = link.a === host;
  const [near, far] = forward ? [link.nic_a, link.nic_b] : [link.nic_b, link.nic_a];
  if ([near, far].some((port) => port.duplex === "half" || port.pause || !port.autoneg)) return null;
  const commands = found.result.table("commands");
  for (let i = 0; i < commands.length; i++) {
    if (SETS_A_PORT.test(String(commands.value("command", i)))) return null;
  }
  return { near, far, delayNs: inNs((forward ? link.forward : link.backward).delay) };
}

/**
 * When each frame's first bit went onto the cable, and when its last one came out of it.
 * @param {Journeys} found
 * @param {DirectedPath} way
 * @param {readonly number[]} rows
 * @param {{near: Nic, far: Nic, delayNs: number}} ports
 * @returns {Instant[]}
 */
function crossed(found, way, rows, { near, far, delayNs }) {
  const { frames } = found;
  const speed = Math.min(near.speed, far.speed);
  /** @param {number} bits */
  const takes = (bits) => Math.floor((bits * 1e9) / speed);
  let freeAt = 0;
  const started = rows.map((i) => {
    const at = Math.max(frames.atNs[i], freeAt);
    freeAt = at + takes(bitsOf(frames.size[i]) + GAP_BITS);
    return at;
  });
  const came = rows.map((i, n) => started[n] + takes(bitsOf(frames.size[i])) + delayNs);
  if (contradicted(found, way, rows, came)) return [];
  const there = came.flatMap((at, n) => {
    return at <= found.result.recorded.untilNs ? [{ frame: rows[n], kind: FILM.cameIn, atNs: at }] : [];
  });
  return [...rows.map((frame, n) => ({ frame, kind: FILM.started, atNs: started[n] })), ...there];
}

/**
 * Bits of a frame on a cable, preamble and frame check sequence included.
 * @param {number} size in bytes
 */
function bitsOf(size) {
  return 8 * (PREAMBLE + Math.max(size, SHORTEST) + FCS);
}

/**
 * Was a frame captured at the other end before its last bit can have been there?
 * @param {Journeys} found
 * @param {DirectedPath} way
 * @param {readonly number[]} rows
 * @param {readonly number[]} came
 */
function contradicted(found, way, rows, came) {
  const { frames, before } = found;
  const place = new Map(rows.map((i, n) => [i, n]));
  return found.passing(way.into, 0).some((i) => {
    const sent = place.get(before[i]);
    return sent !== undefined && frames.atNs[i] < came[sent];
  });
}
