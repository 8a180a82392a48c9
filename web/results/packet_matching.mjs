// Which class of a queue a dropped packet was in, from its headers: as the filters that labkit compiles.

import { dotted } from "../decode/bytes.mjs";
import { ICMP, TCP, UDP } from "../decode/headers.mjs";

/** @typedef {import("../decode/types.mjs").QueueSpec} QueueSpec */
/** @typedef {import("../decode/types.mjs").ClassSpec} ClassSpec */
/** @typedef {import("../decode/types.mjs").MatchSpec} MatchSpec */
/** @typedef {import("../decode/table.mjs").Table} Table */
/**
 * What of a packet's headers a match can look at, as numbers; -1: it has none.
 * @typedef {{protocol: number, src: number, dst: number, sport: number, dport: number}} Packet
 */

/** @type {Record<string, number>} */
const PROTOCOLS = { icmp: ICMP, tcp: TCP, udp: UDP };

/**
 * Those a packet can have been in: more than one if some match by mark, which a dropped packet no longer shows.
 * @param {QueueSpec} queue
 * @param {Packet} packet
 * @param {ReadonlyMap<string, string>} owner address -> host
 */
export function possibleClasses(queue, packet, owner) {
  const all = queue.classes ?? [];
  /** @type {ClassSpec[]} */
  const found = [];
  for (const one of all) {
    if (one.match.some((match) => match.mark === undefined && matches(match, packet, owner)))
      return [...found, one];
    if (one.match.some((match) => match.mark !== undefined)) found.push(one);
  }
  return [...found, ...all.filter((one) => one.name === queue.default && !found.includes(one))];
}

/**
 * @param {MatchSpec} match
 * @param {Packet} packet
 * @param {ReadonlyMap<string, string>} owner
 */
function matches(match, packet, owner) {
  const has = packet.protocol === TCP || packet.protocol === UDP;
  /** @param {number | undefined} wanted @param {readonly number[]} ports */
  const port = (wanted, ports) => wanted === undefined || (has && ports.includes(wanted));
  return (
    (match.src === undefined || hostOf(packet.src, owner) === match.src) &&
    (match.dst === undefined || hostOf(packet.dst, owner) === match.dst) &&
    (match.protocol === undefined || PROTOCOLS[match.protocol] === packet.protocol) &&
    port(match.port, [packet.sport, packet.dport]) &&
    port(match.sport, [packet.sport]) &&
    port(match.dport, [packet.dport])
  );
}

/**
 * @param {number} address
 * @param {ReadonlyMap<string, string>} owner
 */
function hostOf(address, owner) {
  return address < 0 ? undefined : owner.get(dotted(address));
}

/** The table `classes`, to be asked for what was in a class at a time. */
export class ClassSamples {
  /** @param {Table} table */
  constructor(table) {
    this._table = table;
    /** @type {Map<string, number[]>} */
    this._rows = new Map();
    for (let i = 0; i < table.length; i++) {
      const key = ["host", "peer", "class"].map((name) => table.value(name, i)).join("\0");
      const known = this._rows.get(key);
      if (known === undefined) this._rows.set(key, [i]);
      else known.push(i);
    }
  }

  /**
   * Packets in a class at its last sample.
   * @param {string} host from where
   * @param {string} peer to where
   * @param {string} name
   * @param {number} timeS
   */
  held(host, peer, name, timeS) {
    const row = this._of(host, peer, name).findLast((i) => this._time(i) <= timeS);
    return row === undefined ? 0 : Number(this._table.value("backlog_packets", row));
  }

  /**
   * Did a class drop any packet between the samples around that time?
   * @param {string} host
   * @param {string} peer
   * @param {string} name
   * @param {number} timeS
   */
  dropped(host, peer, name, timeS) {
    const rows = this._of(host, peer, name);
    const after = rows.findIndex((i) => this._time(i) >= timeS);
    if (after < 0) return false;
    /** @param {number} i */
    const drops = (i) => Number(this._table.value("drops", i));
    return drops(rows[after]) > (after > 0 ? drops(rows[after - 1]) : 0);
  }

  /** @param {number} row */
  _time(row) {
    return Number(this._table.value("time_s", row));
  }

  /**
   * @param {string} host
   * @param {string} peer
   * @param {string} name
   */
  _of(host, peer, name) {
    const found = this._rows.get([host, peer, name].join("\0"));
    if (found === undefined) throw new RangeError(`no class ${name} on the way from ${host} to ${peer}`);
    return found;
  }
}
