// What a sender did about a loss: how it found it, when it sent again, when it knew that the data is there. Linux does
// not say how it found a loss; how it is inferred, labkit/results/ledger/recovery.py tells.

import { LEDGER } from "../decode/facts.mjs";
import { sortedPlace } from "./search.mjs";

/**
 * One direction of a TCP connection as its sender saw it, in the order of time: what it sent (by first sequence number
 * and the one behind the last), the ACKs that arrived (the edges of their SACK blocks: four of each side in a row for
 * each ACK, -1: none), and when each congestion state began.
 * @typedef {{sentNs: ArrayLike<number>, seq: Float64Array, end: Float64Array, syn: Uint8Array, ackNs: Float64Array,
 *   ack: Float64Array, left: Float64Array, right: Float64Array, stateNs: number[], state: string[]}} Side
 */
/**
 * What became of one lost packet. Times in ns, -1: never.
 * @typedef {{foundBy: string, retransmittedNs: number, recoveredNs: number}} RecoveryOutcome
 */

const BLOCKS = 4;
const NEVER = -1;

/** Answers for one direction of a connection. */
export class Recovery {
  /** @param {Side} side */
  constructor(side) {
    this.side = side;
    this.again = retransmissions(side.seq, side.end);
    this.highest = running(side.ack);
    /** @type {number[]} */
    this.sacked = []; // numbers of the ACKs that have blocks
    for (let row = 0; row < side.ackNs.length; row++) {
      if (this._blocks(row).length > 0) this.sacked.push(row);
    }
  }

  /**
   * The SACK blocks of an ACK: where their left and right edges are.
   * @param {number} row
   */
  _blocks(row) {
    const places = [];
    for (let at = row * BLOCKS; at < (row + 1) * BLOCKS; at++) if (this.side.left[at] >= 0) places.push(at);
    return places;
  }

  /**
   * Of packet i of what was sent, which carries data, a SYN or a FIN.
   * @param {number} i
   * @param {number} transmission
   * @returns {RecoveryOutcome}
   */
  data(i, transmission) {
    const { seq, end, sentNs } = this.side;
    const recoveredNs = this._known(seq[i], end[i], sentNs[i]);
    const over = this._nextOver(i);
    if (over === undefined) {
      return { foundBy: recoveredNs >= 0 ? "not needed" : "not found", retransmittedNs: NEVER, recoveredNs };
    }
    const retransmittedNs = sentNs[over];
    if (recoveredNs >= 0 && recoveredNs < retransmittedNs) {
      return { foundBy: "not needed", retransmittedNs: NEVER, recoveredNs };
    }
    return { foundBy: this._how(i, transmission, retransmittedNs), retransmittedNs, recoveredNs };
  }

  /**
   * The first retransmission after packet i of any of its data.
   * @param {number} i
   */
  _nextOver(i) {
    const { seq, end } = this.side;
    for (let place = sortedPlace(this.again, i, "right"); place < this.again.length; place++) {
      const later = this.again[place];
      if (seq[later] < end[i] && end[later] > seq[i]) return later;
    }
    return undefined;
  }

  /**
   * When the sender learned that this data had arrived, by ACK or SACK.
   * @param {number} seq
   * @param {number} end
   * @param {number} afterNs
   */
  _known(seq, end, afterNs) {
    const { ackNs, left, right } = this.side;
    const first = sortedPlace(ackNs, afterNs, "left");
    const whole = Math.max(sortedPlace(this.highest, end, "left"), first);
    for (let place = sortedPlace(this.sacked, first, "left"); place < this.sacked.length; place++) {
      const row = this.sacked[place];
      if (row >= whole) break;
      for (let at = row * BLOCKS; at < (row + 1) * BLOCKS; at++) {
        if (left[at] <= seq && right[at] >= end) return ackNs[row];
      }
    }
    return whole < ackNs.length ? ackNs[whole] : NEVER;
  }

  /**
   * @param {number} i
   * @param {number} transmission
   * @param {number} atNs
   */
  _how(i, transmission, atNs) {
    if (this.side.syn[i]) return "syn timeout";
    const place = sortedPlace(this.side.stateNs, atNs, "right") - 1;
    const state = place >= 0 ? this.side.state[place] : "Open";
    if (state === "Loss") return "rto";
    if (state !== "Recovery") return "tlp";
    if (this.sacked.length === 0) return this._withinRecovery(place, atNs) ? "partial ack" : "dupack";
    return transmission === 1 && this._enoughBehind(i, atNs) ? "sack" : "rack";
  }

  /**
   * Has this stay in Recovery sent something again before?
   * @param {number} place
   * @param {number} atNs
   */
  _withinRecovery(place, atNs) {
    const { sentNs, stateNs } = this.side;
    return this.again.some((row) => sentNs[row] >= stateNs[place] && sentNs[row] < atNs);
  }

  /**
   * Are there three segments behind packet i that the sender knew to have arrived when it sent the data again?
   * @param {number} i
   * @param {number} atNs
   */
  _enoughBehind(i, atNs) {
    const { ackNs, left, right, sentNs, seq, end } = this.side;
    const first = sortedPlace(ackNs, sentNs[i], "left");
    const last = sortedPlace(ackNs, atNs + 1, "left");
    const stop = sortedPlace(this.sacked, last, "left");
    const rows = this.sacked.slice(sortedPlace(this.sacked, first, "left"), stop);
    const blocks = rows.flatMap((row) => this._blocks(row)).filter((at) => left[at] >= end[i]);
    if (blocks.length === 0) return false;
    blocks.sort((a, b) => left[a] - left[b]);
    const edges = blocks.map((at) => left[at]);
    const reach = running(blocks.map((at) => right[at]));
    const farthest = reach[reach.length - 1];
    const starts = new Set();
    for (let row = 0; row < seq.length && starts.size < LEDGER.duplicates; row++) {
      const start = seq[row];
      if (start < edges[0] || start >= farthest || end[row] <= start) continue;
      if (start < reach[sortedPlace(edges, start, "right") - 1]) starts.add(start);
    }
    return starts.size >= LEDGER.duplicates;
  }
}

/**
 * Of an ACK without data.
 * @param {number} sentNs
 * @param {number} ack
 * @param {{atNs: Float64Array, highest: Float64Array}} arrivals when ACKs of its direction arrived, the highest so far
 * @returns {RecoveryOutcome}
 */
export function pureAck(sentNs, ack, { atNs, highest }) {
  const place = Math.max(sortedPlace(atNs, sentNs, "left"), sortedPlace(highest, ack, "left"));
  if (place >= atNs.length) return { foundBy: "not found", retransmittedNs: NEVER, recoveredNs: NEVER };
  return { foundBy: "not needed", retransmittedNs: NEVER, recoveredNs: atNs[place] };
}

/**
 * The packets that begin with what had been sent before.
 * @param {Float64Array} seq
 * @param {Float64Array} end
 */
function retransmissions(seq, end) {
  const found = [];
  let highest = NEVER;
  for (let i = 0; i < seq.length; i++) {
    if (seq[i] < highest && end[i] > seq[i]) found.push(i);
    highest = Math.max(highest, end[i]);
  }
  return found;
}

/**
 * The largest so far.
 * @param {ArrayLike<number>} values
 */
export function running(values) {
  const found = new Float64Array(values.length);
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    most = Math.max(most, values[i]);
    found[i] = most;
  }
  return found;
}
