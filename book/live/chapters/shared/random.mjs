// numpy's random numbers, the same ones from the same seed: what numpy.random.default_rng(seed) draws.
//
// The generator is PCG64 (XSL RR 128/64): M. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good
// Algorithms for Random Number Generation, HMC-CS-2014-0905, 2014. A number below a bound: D. Lemire, Fast Random
// Integer Generation in an Interval, ACM TOMACS 29(1), 2019. How a seed becomes a state: numpy's SeedSequence.

const POOL = 4;
const ODD = { first: 0x43b0d7e5, times: 0x931e8875 }; // of the hash of what goes in
const EVEN = { first: 0x8b51f9dd, times: 0x58f38ded }; // of what comes out
const LEFT = 0xca01f9dd;
const RIGHT = 0x4973f715;
const TIMES = 0x2360ed051fc65da44385df649fccf645n;
const ALL_32 = 2 ** 32;
const ALL_64 = (1n << 64n) - 1n;
const ALL_128 = (1n << 128n) - 1n;

/**
 * A hash whose constant is another one each time.
 * @param {{first: number, times: number}} constants
 */
function hash({ first, times }) {
  let constant = first;
  /** @param {number} value */
  return (value) => {
    const mixed = value ^ constant;
    constant = Math.imul(constant, times);
    const found = Math.imul(mixed, constant);
    return (found ^ (found >>> 16)) >>> 0;
  };
}

/**
 * @param {number} x
 * @param {number} y
 */
function mixed(x, y) {
  const found = (Math.imul(LEFT, x) - Math.imul(RIGHT, y)) | 0;
  return (found ^ (found >>> 16)) >>> 0;
}

/**
 * Four words of 64 bits that are a seed's.
 * @param {number} seed a whole number below 2^32
 */
function words(seed) {
  const taken = hash(ODD);
  const pool = Array.from({ length: POOL }, (_, i) => taken(i === 0 ? seed : 0));
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mixed(pool[to], taken(pool[from]));
  }
  const given = hash(EVEN);
  const halves = Array.from({ length: 2 * POOL }, (_, i) => BigInt(given(pool[i % POOL])));
  return Array.from({ length: POOL }, (_, i) => halves[2 * i] | (halves[2 * i + 1] << 32n));
}

/** A stream of random numbers. */
export class Random {
  /** @param {number} seed a whole number from 0 to 2^32 - 1 */
  constructor(seed) {
    if (!(Number.isInteger(seed) && seed >= 0 && seed < ALL_32)) {
      throw new RangeError(`seed=${seed}: must be a whole number from 0 to ${ALL_32 - 1}`);
    }
    const [high, low, otherHigh, otherLow] = words(seed);
    this._step = (((otherHigh << 64n) | otherLow) * 2n + 1n) & ALL_128;
    this._state = (this._step + ((high << 64n) | low)) & ALL_128;
    this._advance();
    /** @type {number | null} */
    this._kept = null; // the upper half of a word, of which the lower one was given out
  }

  _advance() {
    this._state = (this._state * TIMES + this._step) & ALL_128;
  }

  /** 64 bits. */
  _next64() {
    this._advance();
    const folded = (this._state >> 64n) ^ (this._state & ALL_64);
    const turn = this._state >> 122n;
    return ((folded >> turn) | (folded << (64n - turn))) & ALL_64;
  }

  /** 32 bits. */
  _next32() {
    if (this._kept !== null) {
      const kept = this._kept;
      this._kept = null;
      return kept;
    }
    const both = this._next64();
    this._kept = Number(both >> 32n);
    return Number(both & 0xffffffffn);
  }

  /**
   * A whole number from 0 to bound - 1.
   * @param {number} bound from 1 to 2^32 - 1
   */
  below(bound) {
    if (bound === 1) return 0;
    const threshold = (ALL_32 - bound) % bound;
    for (;;) {
      const product = BigInt(this._next32()) * BigInt(bound);
      if (Number(product & 0xffffffffn) >= threshold) return Number(product >> 32n);
    }
  }

  /**
   * As many of these as there are, drawn with replacement.
   * @template T
   * @param {readonly T[]} values
   * @returns {T[]}
   */
  resample(values) {
    return values.map(() => values[this.below(values.length)]);
  }
}
