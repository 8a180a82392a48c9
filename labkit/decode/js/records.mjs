// The raw file of a run: its records, found by type. What is in them, the other modules know.
// Mirrors labkit/decode/raw.py and the agent's raw_format.h; agent/FORMAT.md describes it.

import { Bytes, RawFormatError } from "./bytes.mjs";
import { END_REASONS, KIND } from "./facts.mjs";

/** @typedef {keyof typeof KIND} KindName a type of record (enum raw_type) */

export const PHASE_BEFORE = 0;
export const PHASE_AFTER = 1;
export const PHASE_SAMPLE = 2;

const HEADER = 16; // struct record
const LARGEST = 1 << 20; // the agent's own buffers end at 64 KiB
const FIRST_KIND = 64;
const LAST_KIND = 127; // those above the last one known are a newer agent's: left alone
const AT_SETUP = -1;
const DUMP_OUT = 8; // struct dump_out: phase, record
const END_OUT = 16; // struct end_out: reason, reserved, lost_trace_events
const EPOCH_OUT = 16; // struct epoch_out: monotonic_ns, real_ns

/**
 * A text of the kernel's, with the namespace it was read in. offset: of the record's payload.
 * @typedef {{phase: number, ns: number, path: string, text: string, offset: number}} KeptFile
 */

/** A raw file with the places of its records. `truncated`: it stops in the middle of a run. */
export class Records {
  /**
   * @param {Uint8Array} raw a whole file
   * @throws {RawFormatError}
   */
  constructor(raw) {
    this.bytes = new Bytes(raw);
    /** @type {Map<number, number[]>} */
    this._places = new Map();
    const cut = this._index();
    this.truncated = cut || this.of("END").length === 0;
  }

  /** Fills `_places`; is the tail missing? */
  _index() {
    const { bytes } = this;
    let at = 0;
    while (at < bytes.length) {
      if (bytes.length - at < HEADER) return true;
      const kind = bytes.u2(at);
      const size = bytes.u4(at + 4);
      const time = bytes.i8(at + 8);
      if (kind < FIRST_KIND || kind > LAST_KIND || size < HEADER || size > LARGEST || time < AT_SETUP) {
        const what = `no record starts here (type ${kind}, ${size} bytes, time ${bytes.exactI8(at + 8)})`;
        throw new RawFormatError(what, at);
      }
      if (size > bytes.length - at) return true;
      const known = this._places.get(kind);
      if (known === undefined) this._places.set(kind, [at + HEADER]);
      else known.push(at + HEADER);
      at += (size + 7) & ~7;
    }
    return false;
  }

  /**
   * Where the payload of every record of a type begins, in the order of the file. Each has `least` bytes.
   * @param {KindName} kind
   * @param {number} [least]
   * @throws {RawFormatError} if one is shorter
   */
  of(kind, least = 0) {
    const found = this._places.get(KIND[kind]) ?? [];
    const short = found.find((at) => this.size(at) < least);
    if (short !== undefined) {
      const what = `a record of type ${kind} has ${this.size(short)} bytes of payload, needs ${least}`;
      throw new RawFormatError(what, short);
    }
    return found;
  }

  /**
   * Bytes of a payload, by where it begins.
   * @param {number} payload
   */
  size(payload) {
    return this.bytes.u4(payload - 12) - HEADER;
  }

  /**
   * Where a payload ends.
   * @param {number} payload
   */
  end(payload) {
    return payload + this.size(payload);
  }

  /**
   * The namespace of a record.
   * @param {number} payload
   */
  ns(payload) {
    return this.bytes.u2(payload - 14);
  }

  /**
   * When it was, in ns since the epoch; -1: before it.
   * @param {number} payload
   */
  atNs(payload) {
    return this.bytes.i8(payload - 8);
  }

  /**
   * The kernel's files that the agent kept.
   * @returns {KeptFile[]}
   */
  files() {
    return this.of("FILE", DUMP_OUT).map((offset) => {
      const whole = this.bytes.text(offset + DUMP_OUT, this.end(offset));
      const zero = whole.indexOf("\0");
      const path = zero < 0 ? whole : whole.slice(0, zero);
      const text = zero < 0 ? "" : whole.slice(zero + 1);
      return { phase: this.bytes.u4(offset), ns: this.ns(offset), path, text, offset };
    });
  }

  /** CLOCK_MONOTONIC at the epoch, which is 0 of all times. */
  get monotonicNs() {
    const [epoch] = this.of("EPOCH", EPOCH_OUT);
    return epoch === undefined ? 0n : this.bytes.exactI8(epoch);
  }

  /** CLOCK_REALTIME at the epoch. */
  get realNs() {
    const [epoch] = this.of("EPOCH", EPOCH_OUT);
    return epoch === undefined ? 0n : this.bytes.exactI8(epoch + 8);
  }

  /** How many events the trace buffer had no room for, as the agent was told at the end. */
  get lostTraceEvents() {
    return this.of("END", END_OUT).reduce((most, at) => Math.max(most, this.bytes.u8(at + 8)), 0);
  }

  /** The last instant (ns since the epoch) that a record's header names; 0 if there is none. */
  get lastNs() {
    let last = 0;
    for (const kind of Object.values(KIND)) {
      for (const at of this._places.get(kind) ?? []) last = Math.max(last, this.atNs(at));
    }
    return last;
  }

  /** When the (last) program ended, in ns since the epoch; null if the file stops before. */
  get endNs() {
    const last = this.of("END").at(-1);
    return last === undefined ? null : this.atNs(last);
  }

  /** Why the (last) program ended; null if the file stops before. */
  get endReason() {
    const last = this.of("END", END_OUT).at(-1);
    if (last === undefined) return null;
    const code = this.bytes.u4(last);
    return END_REASONS[code] ?? `unknown (${code})`;
  }
}
