// Every packet that a host sent, accounted for: delivered, lost for a cause, or still under way at the end.
//
//     sent = delivered + lost (by cause) + in flight
//
// "Sent" means handed to the device by the host whose address it bears. "Delivered" means that a copy of it came in at
// the host whose address it is for and was not thrown away on the way to a socket. What neither arrived nor was freed as
// lost must be in a queue, on a wire or in a port when the run ends.

import { addressNumber } from "../decode/bytes.mjs";
import { packetTable } from "../decode/connections.mjs";
import { LEDGER } from "../decode/facts.mjs";
import { dissect } from "../decode/headers.mjs";
import { Causes } from "./causes.mjs";
import { PATIENCE_NS, placesAndCauses } from "./drops.mjs";
import { Identities } from "./identity.mjs";
import { CRC, lost } from "./lost.mjs";
import { always, needs, requireRecorded } from "./prerequisites.mjs";
import { NONE, sightings } from "./sightings.mjs";

/** @typedef {import("../decode/frames.mjs").Frames} Frames */
/** @typedef {import("./result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("./sightings.mjs").Sightings} Sightings */
/**
 * The packets that hosts sent, in the order of time: the columns of a packet table; when each was sent and arrived
 * (-1: it did not); drop: the number of the drop that it fell to, -1: none.
 * @typedef {{table: Table, sentNs: Float64Array, arrivedNs: Float64Array, drop: Int32Array, fate: Uint8Array}} Packets
 */

export const DELIVERED = 0;
export const LOST = 1;
export const IN_FLIGHT = 2;

/** A tunnel between gateways: what a ledger cannot follow. */
export class UnsupportedError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "UnsupportedError";
  }
}

/** The accounts of one run, which was captured at both ends of every flow. */
export class Accounts {
  /**
   * @param {Result} result
   * @throws {UnsupportedError}
   * @throws {import("./result.mjs").ProbeMissingError}
   * @throws {import("./captured.mjs").CaptureMissingError}
   */
  constructor(result) {
    const { layout, experiment } = result.recorded;
    refuseTunnels(layout.flows);
    requireRecorded(experiment, always(layout), needs(experiment, layout));
    this.result = result;
    this.run = result.recorded;
    this.endNs = this.run.untilNs;
    this.hosts = new Map(
      layout.interfaces.filter((one) => one.role === "host").map((one) => [one.index, one.host]),
    );
    this.causes = new Causes(this.run, {
      queue: () => result.table("queue"),
      classes: () => result.table("classes"),
      interfaces: () => result.table("interfaces"),
    });
    const identities = new Identities();
    const headers = dissect(this.run.frames);
    /** The addresses of everything that was captured, as numbers; -1: none. */
    this.addresses = { src: headers.src, dst: headers.dst };
    /** Everything that was captured. */
    this.every = identities.sighted(this.run.frames, headers);
    const { drops, ports, names } = lost(result);
    this.drops = drops;
    this.ports = ports;
    this.reasonNames = names;
    const dropped = dissect(drops.frames);
    /** The same drops, to be told which packets they are. */
    this.dropped = identities.sighted(drops.frames, dropped);
    /** In how many bits each dropped frame may differ from its packet: any, if a port found it damaged. */
    this.flips = ports.cause.map((cause) => (cause === CRC ? LEDGER.any : LEDGER.few));
    /** Where each drop was, and why. */
    this.places = placesAndCauses(this.causes, drops, dropped, ports);
    const sent = this.every.pick(this._ends(headers.src, true));
    const arrived = this.every.pick(this._ends(headers.dst, false));
    this.sent = sent;
    /** @type {Sightings} */
    this.seen = sightings(sent, arrived, this.dropped, this.flips);
    this.packets = this._packets();
  }

  /**
   * Which frames the hosts sent themselves, or which came in for them.
   * @param {Float64Array} address of each frame, whose it is
   * @param {boolean} outgoing
   */
  _ends(address, outgoing) {
    const { frames } = this.run;
    const lastNs = outgoing ? this.endNs : this.endNs + PATIENCE_NS; // what came then is in no queue
    const mine = this._addresses();
    const rows = [];
    for (let i = 0; i < frames.length; i++) {
      if ((frames.outgoing[i] === 1) !== outgoing || frames.atNs[i] > lastNs) continue;
      const here = mine.get(frames.interface[i]);
      if (here === undefined) continue;
      if (here.addresses.has(address[i]) || (!outgoing && !here.routes)) rows.push(i);
    }
    return rows;
  }

  /** Of each interface the addresses of its host, and whether that has others, or none, and so passes packets on. */
  _addresses() {
    const names = [...this.hosts.values()];
    return new Map(
      [...this.hosts].map(([index, host]) => {
        const own = [...this.causes.network.owner].filter(([, owner]) => owner === host);
        const addresses = new Set(own.map(([address]) => addressNumber(address)));
        const routes = names.filter((name) => name === host).length > 1 || addresses.size === 0;
        return [index, { addresses, routes }];
      }),
    );
  }

  /** @returns {Packets} */
  _packets() {
    const { frames, arrivedNs, copies, drop: fell } = this.seen;
    const { interfaces, flows } = this.run.layout;
    const names = new Map(interfaces.map((one) => [one.index, `${one.host}.${one.name}`]));
    const table = packetTable(frames, names, flows, { checked: false });
    const drop = new Int32Array(frames.length).fill(NONE);
    const fate = new Uint8Array(frames.length);
    for (let i = 0; i < frames.length; i++) {
      const arrived = arrivedNs[i] >= 0;
      const inside = fell[i] >= 0 && this.places.where[fell[i]].place === "stack";
      const atGoal = inside && arrived && copies[i] <= 1; // thrown away by the receiver itself
      if (fell[i] >= 0 && (!arrived || atGoal)) {
        drop[i] = fell[i];
        fate[i] = LOST;
      } else fate[i] = arrived ? DELIVERED : IN_FLIGHT;
    }
    return { table, sentNs: frames.atNs, arrivedNs, drop, fate };
  }
}

/**
 * @param {readonly import("../decode/types.mjs").FlowLayout[]} flows
 * @throws {UnsupportedError}
 */
function refuseTunnels(flows) {
  const routed = flows.find((flow) => flow.routed);
  if (routed === undefined) return;
  const text = `tunnel ${routed.name}: what hosts send through gateways is inside other packets there`;
  const fix = "look at tx_dropped in result.interfaces and at result.retransmit";
  throw new UnsupportedError(`${text}, and a ledger cannot follow it: ${fix}`);
}
