// Every packet that the kernel freed as lost, as a table: where, why and which. Needs no capture.

import { packetTable } from "../decode/connections.mjs";
import { pickDrops, readDrops } from "../decode/drop_monitor.mjs";
import { LEDGER, USELESS } from "../decode/facts.mjs";
import { dissect, ICMP } from "../decode/headers.mjs";
import { LOSER, portLosses } from "../decode/port_losses.mjs";
import { each, flags, inSeconds, ints, sorted, Table } from "../decode/table.mjs";
import { Causes, portCause } from "./causes.mjs";
import { flooded, ofASwitch } from "./flooded.mjs";
import { over } from "./flow_over.mjs";

/** @typedef {import("../decode/drop_monitor.mjs").Drops} Drops */
/** @typedef {import("../decode/headers.mjs").Headers} Headers */
/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */
/** @typedef {import("./visits.mjs").Needed} Needed */
/** @typedef {import("../decode/port_losses.mjs").PortLosses} PortLosses */
/** @typedef {import("./drop_places.mjs").DropPlace} DropPlace */

export const PATIENCE_NS = 1000; // what the agent waits at the end, for what is being freed at that instant

/**
 * One row per packet freed as lost until the run's end, in the order of time.
 *
 * What a listening socket has no room for is not told from what it has no use for: the ledger knows it.
 * @param {Recorded} run
 * @param {Needed} needed
 * @throws {import("../decode/bytes.mjs").RawFormatError}
 * @throws {import("../decode/port_losses.mjs").PortLossError}
 */
export function drops(run, needed) {
  const { found, ports } = freed(run);
  const { frames, functions, reasons } = found;
  const headers = dissect(frames);
  const packets = packetTable(frames, new Map([[0, ""]]), run.layout.flows, { checked: false });
  const { where, why } = placesAndCauses(new Causes(run, needed), found, headers, ports);
  const late = over(run, found);
  const copies = flooded(run, found);
  const away = useless(found, headers);
  /** @param {string} cause @param {number} i */
  const word = (cause, i) => (copies[i] ? LEDGER.flooded : late[i] ? LEDGER.flowOver : cause);
  /** @param {string} name */
  const column = (name) => packets.column(name);
  return new Table({
    time_s: inSeconds(frames.atNs),
    host: each(where.map((place) => place.host)),
    peer: each(where.map((place) => place.peer)),
    place: each(where.map((place) => place.place)),
    cause: each(why.map(word)),
    reason: each(reasons),
    function: each(functions),
    arrived: flags(away.map((gone, i) => gone || late[i])),
    flow: column("flow"),
    way: column("way"),
    src: column("src"),
    dst: column("dst"),
    protocol: column("protocol"),
    sport: column("sport"),
    dport: column("dport"),
    ip_id: column("ip_id"),
    seq: ints(headers.seq),
    payload: column("payload"),
    length: column("length"),
  });
}

/**
 * DropPlace each of them was lost, and why.
 * @param {Causes} causes
 * @param {Drops} drops
 * @param {Headers} headers
 * @param {PortLosses} ports
 * @returns {{where: DropPlace[], why: string[]}}
 */
export function placesAndCauses(causes, drops, headers, ports) {
  const { frames, functions, reasons } = drops;
  const where = causes.places(drops, headers, ports);
  const why = where.map((place, i) => {
    const size = frames.size[i];
    if (ports.cause[i] !== 0) return portCause(ports.cause[i], size);
    const timeS = frames.atNs[i] / 1e9;
    const packet = packetOf(headers, i);
    return causes.cause(place, { name: functions[i], reason: reasons[i], timeS, size, packet });
  });
  return { where, why };
}

/**
 * What the kernel freed as lost until the run's end, the end's own instant included, which of it a port lost, and the
 * names of all reasons of the file.
 * @param {Recorded} run
 */
export function freed(run) {
  const every = readDrops(run.records);
  const ports = portLosses(every, run);
  const rows = every.functions.flatMap((name, i) => {
    const none = (name === LOSER && ports.port[i] === 0) || ofASwitch(name);
    return every.frames.atNs[i] <= run.untilNs + PATIENCE_NS && !none ? [i] : [];
  });
  return {
    found: pickDrops(every, rows),
    names: sorted(new Set(every.reasons)),
    ports: { port: rows.map((i) => ports.port[i]), cause: rows.map((i) => ports.cause[i]) },
  };
}

/**
 * Which drops are of packets that had reached their socket. Some of TCP's functions free without a reason what comes
 * for a connection being opened or closed and changes nothing: a SYN once more. What a queue had taken out of itself
 * when it was replaced is purged like a socket's queue, but had not arrived. An ICMP message is given to raw sockets,
 * which is how ping listens, and then freed for want of an ICMP socket.
 * @param {Drops} drops
 * @param {Headers} headers
 */
export function useless({ functions, reasons }, headers) {
  return functions.map((name, i) => {
    const reason = reasons[i];
    const inQueue = name === USELESS.inQueue;
    const again = reason === "NOT_SPECIFIED" && USELESS.functions.includes(name);
    const echo = reason === LEDGER.noSocket && headers.protocol[i] === ICMP;
    return (USELESS.reasons.includes(reason) && !inQueue) || again || echo;
  });
}

/**
 * @param {Headers} headers
 * @param {number} i
 */
function packetOf({ protocol, src, dst, sport, dport }, i) {
  return { protocol: protocol[i], src: src[i], dst: dst[i], sport: sport[i], dport: dport[i] };
}
