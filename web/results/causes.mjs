// Why a packet was lost: from where the kernel freed it, its reason, and the network at that time.
//
// netem and a full queue give the same reason at the same place in the kernel; which queue it was tells them apart. A
// queue that drops when a packet comes in was full, unless it is one that drops early (RED and its kin, PIE); of these
// it was full if it held its limit. What is dropped on the way out of a queue was dropped early (CoDel and its kin).

import { dotted } from "../decode/bytes.mjs";
import { CAUSES, EARLY, PORT_CAUSES } from "../decode/facts.mjs";
import { Timeline } from "../spec/timeline.mjs";
import { HOOK, Network, QUEUE, WIRE } from "./drop_places.mjs";
import { ClassSamples, possibleClasses } from "./packet_matching.mjs";
import { Visits } from "./visits.mjs";

/** @typedef {import("./drop_places.mjs").DropPlace} DropPlace */
/** @typedef {import("../decode/headers.mjs").Headers} Headers */
/** @typedef {import("../decode/drop_monitor.mjs").Drops} Drops */
/** @typedef {import("../decode/port_losses.mjs").PortLosses} PortLosses */
/** @typedef {import("./packet_matching.mjs").Packet} Packet */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */
/** @typedef {import("../decode/types.mjs").QueueSpec} QueueSpec */
/** @typedef {import("./visits.mjs").Needed} Needed */
/**
 * A packet that was freed: its frame's size in bytes.
 * @typedef {{name: string, reason: string, timeS: number, size: number, packet: Packet}} Freed
 */

const { words } = CAUSES;
const BURSTS = ["gilbert_elliott", "continuous_gilbert_elliott"];
const HOOKS = ["TC_INGRESS", "NETFILTER_DROP", "NOT_SPECIFIED"];
const EMPTYING = ["unlock", "reset", "clear"]; // in names of what frees all that a queue holds
const CHANGING_S = 1e-3; // longer than a change takes
const UNSAID = "NOT_SPECIFIED";

/** The network of a result over time, to be asked for the cause of a drop. */
export class Causes {
  /**
   * @param {Recorded} run
   * @param {Needed} needed
   */
  constructor(run, needed) {
    this.network = new Network(run.layout);
    this._timeline = new Timeline(run.experiment);
    this._needed = needed;
    this._visits = new Visits(needed);
    /** @type {ClassSamples | null} */
    this._samples = null;
  }

  /**
   * One way of a link as it was at a time.
   * @param {string} host
   * @param {string} peer
   * @param {number} timeS
   */
  direction(host, peer, timeS) {
    return this._timeline.direction(host, peer, timeS);
  }

  /**
   * DropPlace each packet was freed.
   * @param {Drops} drops
   * @param {Headers} headers
   * @param {PortLosses} ports what is known of those that a port lost
   * @returns {DropPlace[]}
   */
  places({ frames, functions }, headers, ports) {
    return functions.map((name, i) => {
      if (ports.port[i] > 0) {
        const source = frames.bytes.hex(
          frames.offset[i] + 6,
          frames.offset[i] + Math.min(12, frames.captured[i]),
        );
        return this.network.ofPort(ports.port[i], ports.cause[i], source.match(/../g)?.join(":") ?? "");
      }
      const [src, dst] = [headers.src[i], headers.dst[i]].map((address) =>
        address < 0 ? "" : dotted(address),
      );
      const where = this.network.where(frames.interface[i], name, src, dst);
      if (name !== CAUSES.replaced) return where;
      const peer = where.peer || this.network.nextHop(where.host, dst).peer;
      const replaced = peer !== "" && this._replaced(where.host, peer, frames.atNs[i] / 1e9);
      return replaced ? { host: where.host, peer, place: QUEUE } : where;
    });
  }

  /**
   * Was a queue replaced by a change just before?
   * @param {string} host
   * @param {string} peer
   * @param {number} timeS
   */
  _replaced(host, peer, timeS) {
    const before = this._timeline.lastChange(timeS) - CHANGING_S;
    const old = this.direction(host, peer, before);
    const now = this.direction(host, peer, timeS);
    const other = old.rate !== now.rate || JSON.stringify(old.queue) !== JSON.stringify(now.queue);
    return timeS - before < 2 * CHANGING_S && other;
  }

  /**
   * In the ledger's words; an unusual one is the kernel's own, in lower case.
   * @param {DropPlace} where
   * @param {Freed} freed
   * @returns {string}
   */
  cause(where, freed) {
    const { name, reason } = freed;
    if (where.place === HOOK) return this._ofHook(where, freed);
    if (where.place === WIRE) return this._ofWire(where, freed);
    if (where.place === QUEUE) return this._ofQueue(where, freed);
    if (reason === UNSAID && CAUSES.withoutReason.includes(name)) return words.corrupted;
    return (
      CAUSES.ofPlace[`${name} ${reason}`] ??
      CAUSES.ofReason[reason] ??
      reason.toLowerCase().replaceAll("_", " ")
    );
  }

  /**
   * @param {DropPlace} where
   * @param {Freed} freed
   */
  _ofWire({ host, peer }, { timeS }) {
    const way = this.direction(host, peer, timeS);
    if (way.loss === null && way.wire_limit !== null) return words.wireFull;
    return way.loss !== null && BURSTS.includes(way.loss.kind) ? words.burstLoss : words.wireLoss;
  }

  /**
   * @param {DropPlace} where
   * @param {Freed} freed
   */
  _ofHook({ host, peer }, { name, reason, timeS }) {
    const counted = this.direction(host, peer, timeS).loss?.kind === "every_nth";
    // What moves packets on found the device behind it down.
    if (CAUSES.flushed.includes(name) || (reason === "TC_INGRESS" && !counted)) return words.linkDown;
    return HOOKS.includes(reason) ? words.named : reason.toLowerCase();
  }

  /**
   * @param {DropPlace} where
   * @param {Freed} freed
   */
  _ofQueue(where, freed) {
    const { name, timeS, size } = freed;
    const { host, peer } = where;
    if (EMPTYING.some((word) => name.includes(word))) return words.queueReplaced;
    if (name === CAUSES.ackFilter) return words.ackFiltered;
    if (peer && this._refused(host, peer) && this._visits.held(host, peer, timeS) === 0) {
      return portCause(PORT_CAUSES.carrier, size); // an empty queue drops nothing: there was no link
    }
    if (name.includes("dequeue") && !name.includes("netem") && !name.includes("tbf")) return words.earlyDrop;
    const queue = peer ? this.direction(host, peer, timeS).queue : null;
    if (queue === null) return words.full;
    if (queue.classes && queue.classes.length > 0) return this._ofClass(where, queue, freed);
    if (!EARLY.includes(queue.kind)) return words.full;
    return isFull(queue, this._visits.held(host, peer, timeS), size) ? words.full : words.earlyDrop;
  }

  /**
   * What a class's queue dropped when it came in. How much was in a class, its last sample tells, but no more than was
   * in all of them.
   * @param {DropPlace} where
   * @param {QueueSpec} queue
   * @param {Freed} freed
   */
  _ofClass({ host, peer }, queue, { timeS, size, packet }) {
    let possible = possibleClasses(queue, packet, this.network.owner);
    if (!possible.some((one) => EARLY.includes(one.queue.kind))) return words.full;
    this._samples ??= new ClassSamples(this._needed.classes());
    const samples = this._samples;
    if (possible.length > 1) {
      // A mark is not seen: it was the class that counted a drop.
      const dropping = possible.filter((one) => samples.dropped(host, peer, one.name, timeS));
      if (dropping.length > 0) possible = dropping;
    }
    const [{ name, queue: inner }] = possible;
    if (!EARLY.includes(inner.kind)) return words.full;
    const held = Math.min(samples.held(host, peer, name, timeS), this._visits.held(host, peer, timeS));
    return isFull(inner, held, size) ? words.full : words.earlyDrop;
  }

  /**
   * Did a port's device refuse any packet? So it does while its link is down.
   * @param {string} host
   * @param {string} peer
   */
  _refused(host, peer) {
    if (!this._timeline.written(host, peer).nic_a) return false;
    return this._visits.refused(host, peer);
  }
}

/**
 * Has a queue with so many packets no room for one more? All are taken to be of this size in bytes.
 * @param {QueueSpec} queue
 * @param {number} held
 * @param {number} size
 */
function isFull(queue, held, size) {
  if (queue.bytes !== null) return (held + 1) * size > queue.bytes;
  return queue.packets !== null && held >= queue.packets;
}

/**
 * The ledger's words for what a port of the teaching NIC loses.
 * @param {number} number the driver's
 * @param {number} size of the frame in bytes, without its check sequence
 */
export function portCause(number, size) {
  const runt = number === PORT_CAUSES.length && size < PORT_CAUSES.shortest;
  return runt ? PORT_CAUSES.runt : PORT_CAUSES.names[String(number)];
}
