// DropPlace in the network a packet was freed, from the device it last came in by and the place in the kernel.
//
//     host A -> [queue] -> enter => [mid => queue] => (hook) -> leave [wire] -> host B
//     host A -> [queue] -> port ~~~ cable ~~~ port -> host B
//
// A switch has a queue for each of its ports, as a router has. A device's queue is entered with no new arrival, so the arrival before it tells which queue it was.

import { addressNumber } from "../decode/bytes.mjs";
import { PORT_CAUSES, QDISC_FUNCTION } from "../decode/facts.mjs";

/** @typedef {import("../decode/types.mjs").Layout} Layout */
/** @typedef {import("../decode/types.mjs").Device} Device */
/** @typedef {import("../decode/types.mjs").DirectedPath} DirectedPath */

export const QUEUE = "queue";
export const WIRE = "wire";
export const HOOK = "hook";
export const PORT = "port";
export const STACK = "stack";
export const SWITCH = "switch";

/**
 * host, peer: on the way from host to peer; peer is "" inside a host. place: queue (waiting for a rate), wire (its
 * faults), hook (a filter that counts packets, or nftables), port (of the teaching NIC, at either end), stack (the
 * host itself) or switch (the switch itself).
 * @typedef {{host: string, peer: string, place: string}} DropPlace
 */

const OF_QDISC = new RegExp(QDISC_FUNCTION);

/** The devices of a network by their index, as it was built. */
export class Network {
  /** @param {Layout} layout */
  constructor(layout) {
    this.layout = layout;
    this.devices = new Map(layout.interfaces.map((one) => [one.index, one]));
    /** @type {Map<number, DirectedPath>} */
    this.inside = new Map();
    for (const way of layout.ways) {
      for (const index of [way.enter, ...way.mid]) if (index !== null) this.inside.set(index, way);
    }
    /** @type {Map<string, string>} */
    this.owner = new Map(); // address -> host
    /** @type {Map<string, Map<string, string>>} */
    this._subnets = new Map(); // host -> a subnet of it -> the neighbour at that link
    for (const [host, { addresses }] of Object.entries(layout.hosts)) {
      const pairs = Object.entries(addresses);
      for (const [, address] of pairs) this.owner.set(address, host);
      this._subnets.set(host, new Map(pairs.map(([peer, address]) => [subnetOf(address), peer])));
    }
  }

  /**
   * @param {number} index of the device it was last received by; 0: none, it was made here (by src's host)
   * @param {string} name the kernel's function that freed it
   * @param {string} src address
   * @param {string} dst address
   * @returns {DropPlace}
   */
  where(index, name, src, dst) {
    const device = this.devices.get(index);
    const way = this.inside.get(index);
    if (device !== undefined && way !== undefined) return this._inWire(way, index, name);
    const host = device === undefined ? (this.owner.get(src) ?? "") : device.host;
    if (this.layout.hosts[host]?.forwards !== undefined) return this._inSwitch(host, name, src, dst);
    if (OF_QDISC.test(name)) return { host, peer: this.nextHop(host, dst).peer, place: QUEUE };
    return { host, peer: "", place: STACK };
  }

  /**
   * @param {string} host a switch
   * @param {string} name
   * @param {string} src
   * @param {string} dst
   * @returns {DropPlace}
   */
  _inSwitch(host, name, src, dst) {
    if (!OF_QDISC.test(name)) return { host, peer: "", place: SWITCH };
    const link = this.path(src, dst).find((one) => one.host === host);
    return { host, peer: link?.peer ?? "", place: QUEUE };
  }

  /**
   * @param {number} index of the port that lost a frame
   * @param {number} cause the driver's
   * @param {string} source MAC address that the frame bears; the port's own if it was about to leave by it
   * @returns {DropPlace}
   */
  ofPort(index, cause, source) {
    const port = this._device(index);
    const leaving =
      PORT_CAUSES.leaving.includes(cause) || (PORT_CAUSES.either.includes(cause) && source === port.mac);
    const [host, peer] = leaving ? [port.host, port.peer] : [port.peer, port.host];
    return { host, peer, place: PORT };
  }

  /**
   * @param {number} index
   * @returns {Device}
   */
  _device(index) {
    const found = this.devices.get(index);
    if (found === undefined) throw new RangeError(`the layout has no device ${index}`);
    return found;
  }

  /**
   * @param {DirectedPath} way
   * @param {number} index
   * @param {string} name
   * @returns {DropPlace}
   */
  _inWire(way, index, name) {
    const ends = { host: this._device(way.out).host, peer: this._device(way.into).host };
    if (!OF_QDISC.test(name)) return { ...ends, place: HOOK };
    return { ...ends, place: way.detach && index === way.enter ? QUEUE : WIRE };
  }

  /**
   * The neighbour that a host sends a packet for an address to, and the address of the next host on the way, which may
   * be behind switches; "" and "" if it has no route.
   * @param {string} host
   * @param {string} dst
   * @returns {{peer: string, via: string}}
   */
  nextHop(host, dst) {
    const known = this.layout.hosts[host];
    const subnets = this._subnets.get(host);
    if (known === undefined || subnets === undefined) return { peer: "", via: "" };
    const beside = subnets.get(subnetOf(dst));
    if (beside !== undefined) return { peer: beside, via: dst };
    const address = addressNumber(dst || "0.0.0.0");
    const route = known.routes.find(([to]) => contains(to === "default" ? "0.0.0.0/0" : to, address));
    if (route === undefined) return { peer: "", via: "" };
    return { peer: subnets.get(subnetOf(route[1])) ?? "", via: route[1] };
  }

  /**
   * The links between two addresses; none if there is no way.
   * @param {string} src
   * @param {string} dst
   * @returns {{host: string, peer: string}[]}
   */
  path(src, dst) {
    const goal = this.owner.get(dst) ?? "";
    const most = Object.keys(this.layout.hosts).length;
    let host = this.owner.get(src) ?? "";
    let via = "";
    const way = [];
    while (host !== "" && host !== goal && way.length <= most) {
      const forwards = this.layout.hosts[host]?.forwards;
      const hop = forwards ? { peer: forwards[via] ?? "", via } : this.nextHop(host, dst);
      way.push({ host, peer: hop.peer });
      [host, via] = [hop.peer, hop.via];
    }
    return host === goal ? way : [];
  }
}

/**
 * The part of an address that all hosts of its subnet have: that is a /24.
 * @param {string} address
 */
function subnetOf(address) {
  return address.slice(0, address.lastIndexOf("."));
}

/**
 * Is an address in "10.0.1.0/24"?
 * @param {string} net
 * @param {number} address
 */
function contains(net, address) {
  const [base, bits] = net.split("/");
  const size = 2 ** (32 - Number(bits ?? 32));
  return Math.floor(address / size) === Math.floor(addressNumber(base) / size);
}
