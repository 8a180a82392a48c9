// Damaged frames: which packet each one is. A flipped bit changes a packet's identity: it then may say to be another
// packet's.

import { LEDGER, PORT_CAUSES } from "../decode/facts.mjs";
import { ETHERNET } from "../decode/headers.mjs";
import { sortedPlace } from "./search.mjs";

/** @typedef {import("../decode/frames.mjs").Frames} Frames */

const COMPARED = LEDGER.any / 8; // bytes from the IP header on
const FCS = 4; // bytes: a port pads a frame to the shortest, and may pass these on
const CHANGING = [8, 10, 11]; // bytes of the IP header: TTL and the header's checksum

/**
 * A damaged packet that arrives is thrown away there, and so seen twice: it is the same one, bit by bit. Fills `drop`
 * in place.
 * @param {Frames} arrived
 * @param {Int32Array} arrival
 * @param {Frames} dropped
 * @param {Int32Array} drop
 */
export function again(arrived, arrival, dropped, drop) {
  const places = new Set();
  const times = new Set();
  drop.forEach((packet, i) => {
    if (packet >= 0) return;
    places.add(dropped.interface[i]);
    times.add(dropped.atNs[i]);
  });
  if (places.size === 0) return;
  /** @type {Map<string, number>} */
  const known = new Map();
  arrival.forEach((packet, i) => {
    const near = packet >= 0 && places.has(arrived.interface[i]) && times.has(arrived.atNs[i]);
    if (near) known.set(seen(arrived, i), packet);
  });
  drop.forEach((packet, i) => {
    if (packet < 0) drop[i] = known.get(seen(dropped, i)) ?? -1;
  });
}

/**
 * @param {Frames} frames
 * @param {number} i
 */
function seen({ bytes, interface: places, atNs, size, offset, captured }, i) {
  const kept = Math.min(captured[i], ETHERNET + COMPARED);
  return `${places[i]} ${atNs[i]} ${size[i]} ${bytes.hex(offset[i], offset[i] + kept)}`;
}

/**
 * Each frame that is of no packet known yet (match < 0) is the packet, sent before and seen nowhere, from which it
 * differs least, in no more than `most` bits of its own. It may be shorter: UDP cuts off what its header does not
 * count. Where two are nearest to one packet, one of them gets another that it can be, so that as many as can be are
 * known. Fills `match` in place.
 * @param {Frames} sent
 * @param {Frames} frames that were seen
 * @param {Int32Array} match
 * @param {Int32Array} other packets that were seen elsewhere
 * @param {ArrayLike<number>} most
 */
export function mend(sent, frames, match, other, most) {
  const strangers = places(match, (packet) => packet < 0);
  if (strangers.length === 0) return;
  const there = new Uint8Array(sent.length);
  for (const packets of [match, other]) for (const packet of packets) if (packet >= 0) there[packet] = 1;
  const missing = places(there, (known) => known === 0);
  const wanted = strangers.map((i) => most[i]);
  const chosen = new Matching(sent.pick(missing), frames.pick(strangers), wanted).best();
  strangers.forEach((i, n) => {
    if (chosen[n] >= 0) match[i] = missing[chosen[n]];
  });
}

/**
 * @param {ArrayLike<number>} values
 * @param {(value: number) => boolean} wanted
 */
function places(values, wanted) {
  const found = [];
  for (let i = 0; i < values.length; i++) if (wanted(values[i])) found.push(i);
  return found;
}

/** Frames and the packets that they can be, of which each is one frame at most. */
class Matching {
  /**
   * @param {Frames} sent
   * @param {Frames} frames
   * @param {readonly number[]} most
   */
  constructor(sent, frames, most) {
    this.packets = compared(sent);
    this.bodies = compared(frames);
    this.room = sent.size.map((size) => Math.max(size, PORT_CAUSES.shortest) + FCS);
    this.upto = Array.from(frames.atNs, (at) => sortedPlace(sent.atNs, at, "right"));
    this.size = frames.size;
    this.most = most;
    this.owner = new Int32Array(sent.length).fill(-1); // the frame that a packet is
  }

  /** For each frame a packet; -1: none. */
  best() {
    const alone = this.most.flatMap((_, frame) => (this._nearest(frame) ? [] : [frame]));
    /** @type {Set<number>} */
    const tried = new Set();
    for (const frame of alone) this._inTurn(frame, tried);
    const chosen = new Int32Array(this.most.length).fill(-1);
    this.owner.forEach((frame, packet) => {
      if (frame >= 0) chosen[frame] = packet;
    });
    return chosen;
  }

  /**
   * Take the nearest packet that is free, of several the last.
   * @param {number} frame
   */
  _nearest(frame) {
    let found = -1;
    let least = this.most[frame];
    for (let packet = this.upto[frame] - 1; packet >= 0; packet--) {
      if (this.owner[packet] >= 0) continue;
      const flips = this._flips(frame, packet, found < 0 ? least : least - 1);
      if (flips < 0) continue;
      found = packet;
      least = flips;
      if (flips === 0) break;
    }
    if (found >= 0) this.owner[found] = frame;
    return found >= 0;
  }

  /**
   * In how many bits a frame differs from a packet that it can be, as far as both go; -1: in more than `most`.
   * @param {number} frame
   * @param {number} packet
   * @param {number} most
   */
  _flips(frame, packet, most) {
    if (this.room[packet] < this.size[frame]) return -1;
    const mine = this.bodies;
    const its = this.packets;
    const both = Math.min(mine.sizes[frame], its.sizes[packet]);
    let flips = 0;
    for (let i = 0; i < both && flips <= most; i++) {
      flips += bits(mine.bytes[frame * COMPARED + i] ^ its.bytes[packet * COMPARED + i]);
    }
    return flips <= most ? flips : -1;
  }

  /**
   * An augmenting path (Kuhn 1955): its packet's frame takes another, and so on, until one is free.
   * @param {number} frame
   * @param {Set<number>} tried packets that led nowhere; they never will
   */
  _inTurn(frame, tried) {
    /** @type {Map<number, [number, number]>} */
    const came = new Map(); // packet -> the frame that wants it, the packet that this one has
    const waiting = [[frame, -1]];
    for (let next = 0; next < waiting.length; next++) {
      const [wanting, has] = waiting[next];
      for (let packet = 0; packet < this.upto[wanting]; packet++) {
        if (tried.has(packet) || came.has(packet)) continue;
        if (this._flips(wanting, packet, this.most[wanting]) < 0) continue;
        came.set(packet, [wanting, has]);
        if (this.owner[packet] < 0) {
          this._turn(packet, came);
          return;
        }
        waiting.push([this.owner[packet], packet]);
      }
    }
    for (const packet of came.keys()) tried.add(packet);
  }

  /**
   * Each frame on the path gets the packet that it wants.
   * @param {number} last packet of the path
   * @param {ReadonlyMap<number, [number, number]>} came
   */
  _turn(last, came) {
    let packet = last;
    while (packet >= 0) {
      const [wanting, has] = /** @type {[number, number]} */ (came.get(packet));
      this.owner[packet] = wanting;
      packet = has;
    }
  }
}

/**
 * Of each frame the bytes that are compared, and how many.
 * @param {Frames} frames
 */
function compared(frames) {
  const bytes = new Uint8Array(frames.length * COMPARED);
  const sizes = Int32Array.from(frames.captured, (kept) => Math.min(Math.max(kept - ETHERNET, 0), COMPARED));
  sizes.forEach((size, i) => {
    const start = frames.offset[i] + ETHERNET;
    bytes.set(frames.bytes.data.subarray(start, start + size), i * COMPARED);
    for (const at of CHANGING) bytes[i * COMPARED + at] = 0;
  });
  return { bytes, sizes };
}

/**
 * How many bits of a byte are set.
 * @param {number} byte
 */
function bits(byte) {
  let left = byte;
  let count = 0;
  for (; left !== 0; left &= left - 1) count++;
  return count;
}
