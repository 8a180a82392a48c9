// Pages of the kernel's ring buffer: where each event is and when it was. What is in it, trace.mjs knows.
// Source: kernel/trace/ring_buffer.c (enum ring_buffer_type, rb_update_read_stamp). Where what is in a page's
// header, the kernel's own text says: longs have 32 or 64 bits.

import { EVENT_OUT } from "../program/structs.mjs";
import { RawFormatError } from "./bytes.mjs";
import { Growing } from "./growing.mjs";

/** @typedef {import("./raw.mjs").Records} Records */
/** @typedef {import("./bytes.mjs").Bytes} Bytes */

const MISSED_STORED = 1 << 30;
const SIZE = (1 << 30) - 1;
const LONG_DATA = 0;
const PADDING = 29;
const EXTEND = 30;
const STAMP = 31;
const WORD = 4;
const STAMP_BITS = 27; // of a delta
const TOP = 31n << 59n; // the bits that an absolute stamp leaves out
const EXACT = 2 ** 52; // what may be added to a double without loss

/**
 * Every event in the order of the pages: arrays of one length. id: of its format. atNs: since the epoch. offset,
 * size: of its bytes in the raw file, beginning with common_type. lost: what pages admit.
 * @typedef {{id: Float64Array, atNs: Float64Array, offset: Float64Array, size: Float64Array, lost: number}} Events
 */
/** @typedef {{time: number, commit: number, commitSize: number, data: number}} PageHead offsets, and a size */

/**
 * @param {Records} records
 * @param {string} headerPage the text of events/header_page
 * @returns {Events}
 * @throws {RawFormatError}
 */
export function readPages(records, headerPage) {
  const head = pageHead(headerPage);
  const { bytes } = records;
  const pages = records.of("TRACE", head.data);
  const used = pages.map((page) => bytes.u4(page + head.commit) & SIZE);
  const wrong = pages.findIndex((page, i) => used[i] > records.size(page) - head.data);
  if (wrong >= 0) {
    throw new RawFormatError("a trace page that says it is longer than it is", pages[wrong] + head.data);
  }
  const walk = new Walk(records);
  let lost = 0;
  pages.forEach((page, i) => {
    const start = page + head.data;
    walk.page(start, start + used[i], bytes.exactI8(page + head.time));
    const stored = (bytes.u4(page + head.commit) & MISSED_STORED) !== 0;
    if (stored && start + used[i] + head.commitSize <= bytes.length) {
      lost += bytes.number(start + used[i], `u${head.commitSize}`);
    }
  });
  return walk.events(lost);
}

/**
 * @param {string} text
 * @returns {PageHead}
 */
function pageHead(text) {
  /** @type {Record<string, {at: number, size: number}>} */
  const fields = {};
  for (const [, name, at, size] of text.matchAll(/field:[^;]*?(\w+);\s*offset:(\d+);\s*size:(\d+);/g)) {
    fields[name] = { at: Number(at), size: Number(size) };
  }
  const { timestamp, commit, data } = fields;
  if (!timestamp || !commit || !data) {
    throw new RawFormatError("events/header_page has no timestamp, commit and data", 0);
  }
  return { time: timestamp.at, commit: commit.at, commitSize: commit.size, data: data.at };
}

/**
 * An instant since the epoch that goes on by small steps: exact in all 64 bits, fast while it is small.
 */
class Clock {
  /**
   * @param {bigint} time of the trace clock
   * @param {bigint} epoch
   */
  constructor(time, epoch) {
    this.epoch = epoch;
    this.time = 0n; // exact, and what it is since the epoch, if that is small
    this.since = 0;
    this.small = true;
    this.passed = 0; // ns after `time`
    this.set(time);
  }

  /** @param {bigint} time */
  set(time) {
    this.time = BigInt.asIntN(64, time);
    this.since = Number(BigInt.asIntN(64, this.time - this.epoch));
    this.small = Math.abs(this.since) < EXACT;
    this.passed = 0;
  }

  /** @param {number} delta ns */
  step(delta) {
    this.passed += delta;
    if (this.passed > EXACT) this.set(this.now());
  }

  now() {
    return this.time + BigInt(this.passed);
  }

  /** ns since the epoch */
  atNs() {
    if (this.small) return this.since + this.passed;
    return Number(BigInt.asIntN(64, this.now() - this.epoch));
  }
}

/**
 * Steps through pages, event by event. Of several damages the one is named that comes after the fewest steps in its
 * page, as labkit's Python does, which walks all pages side by side.
 */
class Walk {
  /** @param {Records} records */
  constructor(records) {
    this.bytes = records.bytes;
    this.epoch = records.monotonicNs;
    this.atNs = new Growing();
    this.offset = new Growing();
    this.size = new Growing();
    /** @type {{step: number, at: number} | null} */
    this._fault = null;
  }

  /**
   * @param {number} start of its data in the file
   * @param {number} end
   * @param {bigint} time of its header
   */
  page(start, end, time) {
    const clock = new Clock(time, this.epoch);
    const stop = end - (end % WORD);
    let at = start - (start % WORD);
    for (let step = 0; at < stop; step++) {
      const word = this.bytes.u4(at);
      const kind = word & 31;
      const delta = word >>> 5;
      const first = at + WORD;
      const size = kind >= PADDING ? this._special(kind, delta, first, stop, clock) : this._size(kind, first);
      if (kind < PADDING) clock.step(delta);
      const next = first + size;
      if (next > stop || (kind < PADDING && size < WORD)) {
        if (this._fault === null || step < this._fault.step) this._fault = { step, at };
        return;
      }
      if (kind < PADDING) {
        const head = kind === LONG_DATA ? WORD : 0;
        this.atNs.push(clock.atNs());
        this.offset.push(first + head);
        this.size.push(size - head);
      }
      at = next;
    }
  }

  /**
   * Bytes of an event's data, the word with its length included.
   * @param {number} kind
   * @param {number} first
   */
  _size(kind, first) {
    return kind === LONG_DATA ? this._argument(first) & ~3 : kind * WORD;
  }

  /**
   * The word behind an event's first one.
   * @param {number} first
   */
  _argument(first) {
    return first + WORD <= this.bytes.length ? this.bytes.u4(first) : this.bytes.u4(this._lastWord());
  }

  _lastWord() {
    return this.bytes.length - (this.bytes.length % WORD) - WORD;
  }

  /**
   * Bytes of what is no event: padding, or time.
   * @param {number} kind
   * @param {number} delta
   * @param {number} first
   * @param {number} stop
   * @param {Clock} clock
   */
  _special(kind, delta, first, stop, clock) {
    const argument = this._argument(first);
    if (kind === PADDING) return delta === 0 ? stop - first : argument - (argument % WORD);
    if (kind === EXTEND) {
      clock.set(clock.now() + (BigInt(argument) << BigInt(STAMP_BITS)) + BigInt(delta));
    } else if (kind === STAMP) {
      clock.set(absolute(clock.now(), (BigInt(argument) << BigInt(STAMP_BITS)) + BigInt(delta)));
    }
    return WORD;
  }

  /**
   * @param {number} lost
   * @returns {Events}
   */
  events(lost) {
    if (this._fault !== null) throw new RawFormatError("a trace event without end", this._fault.at);
    const [atNs, offset, size] = [this.atNs.values(), this.offset.values(), this.size.values()];
    const bare = size.findIndex((bytes) => bytes < WORD);
    if (bare >= 0) throw new RawFormatError("a trace event without type", offset[bare]);
    return { id: offset.map((at) => this.bytes.u2(at)), atNs, offset, size, lost };
  }
}

/**
 * An absolute stamp has 59 bits; the others are those of the time before it.
 * @param {bigint} time
 * @param {bigint} stamp
 */
function absolute(time, stamp) {
  const top = BigInt.asIntN(64, BigInt.asUintN(64, time) & TOP);
  const whole = stamp | top;
  return top !== 0n && whole < time ? whole + (1n << 59n) : whole;
}

/**
 * Events that came one by one (perf, on a machine's own kernel), put in order of time.
 * @param {Records} records
 * @returns {Events}
 * @throws {RawFormatError}
 */
export function readSamples(records) {
  const { bytes, monotonicNs } = records;
  /** @type {{time: bigint, offset: number, size: number}[]} */
  const found = [];
  for (const start of records.of("EVENTS")) {
    const end = records.end(start);
    let at = start;
    while (at < end) {
      const size = at + EVENT_OUT.size <= end ? bytes.u4(at + EVENT_OUT.at.size) : 0;
      if (size < WORD || at + EVENT_OUT.size + size > end)
        throw new RawFormatError("a sampled event without end", at);
      found.push({ time: bytes.exactI8(at + EVENT_OUT.at.at_ns), offset: at + EVENT_OUT.size, size });
      at += EVENT_OUT.size + ((size + 7) & ~7);
    }
  }
  found.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.offset - b.offset));
  return {
    id: Float64Array.from(found, (event) => bytes.u2(event.offset)),
    atNs: Float64Array.from(found, (event) => Number(BigInt.asIntN(64, event.time - monotonicNs))),
    offset: Float64Array.from(found, (event) => event.offset),
    size: Float64Array.from(found, (event) => event.size),
    lost: 0,
  };
}
