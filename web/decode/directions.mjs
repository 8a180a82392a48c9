// Directions of connections, numbered as they come: what all packets of one share is kept once.

/** @typedef {import("./headers.mjs").Headers} Headers */
/**
 * The ends of a direction; -1: none.
 * @typedef {{src: number, sport: number, dst: number, dport: number, protocol: number}} Direction
 */

/** Of each packet the number of its direction, and the directions. */
export class Directions {
  /** @param {Headers} headers */
  constructor(headers) {
    /** @type {Direction[]} */
    this.list = [];
    /** @type {Map<string, number>} */
    this._numbers = new Map();
    this.number = Int32Array.from({ length: headers.protocol.length }, (_, i) => this._numberOf(headers, i));
  }

  /**
   * @param {Headers} headers
   * @param {number} i
   */
  _numberOf({ src, sport, dst, dport, protocol }, i) {
    const ends = { src: src[i], sport: sport[i], dst: dst[i], dport: dport[i], protocol: protocol[i] };
    const known = key(ends);
    const number = this._numbers.get(known) ?? this.list.length;
    if (number === this.list.length) {
      this._numbers.set(known, number);
      this.list.push(ends);
    }
    return number;
  }

  /**
   * For each direction that of the one back; -1: none.
   * @returns {number[]}
   */
  back() {
    return this.list.map(({ src, sport, dst, dport, protocol }) => {
      return this._numbers.get(key({ src: dst, sport: dport, dst: src, dport: sport, protocol })) ?? -1;
    });
  }
}

/** @param {Direction} ends */
function key({ src, sport, dst, dport, protocol }) {
  return `${src} ${sport} ${dst} ${dport} ${protocol}`;
}
