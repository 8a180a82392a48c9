// The raw file of a run: its records, found by type. What is in them, the other modules know.
// agent/FORMAT.md describes it.

import {
  DUMP_OUT,
  END_OUT,
  END_REASONS,
  EPOCH_OUT,
  HEADS,
  KIND,
  LAB_AT_SETUP,
  RECORD,
} from "../program/structs.mjs";
import { Bytes, RawFormatError } from "./bytes.mjs";

/** @typedef {keyof typeof KIND} KindName a type of record (enum raw_type) */

const LARGEST = 1 << 20; // the agent's own buffers end at 64 KiB
const FIRST_KIND = 64;
const LAST_KIND = 127; // those above the last one known are a newer agent's: left alone

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
      if (bytes.length - at < RECORD.size) return true;
      const kind = bytes.u2(at + RECORD.at.type);
      const size = bytes.u4(at + RECORD.at.size);
      const time = bytes.i8(at + RECORD.at.at_ns);
      const known = kind >= FIRST_KIND && kind <= LAST_KIND && size >= RECORD.size && size <= LARGEST;
      if (!known || time < LAB_AT_SETUP) {
        const when = bytes.exactI8(at + RECORD.at.at_ns);
        throw new RawFormatError(`no record starts here (type ${kind}, ${size} bytes, time ${when})`, at);
      }
      if (size > bytes.length - at) return true;
      const places = this._places.get(kind);
      if (places === undefined) this._places.set(kind, [at + RECORD.size]);
      else places.push(at + RECORD.size);
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
   * The same of a type whose payload begins with a struct, which each must have whole.
   * @param {keyof typeof HEADS} kind
   * @throws {RawFormatError} if one is too short
   */
  heads(kind) {
    return this.of(kind, HEADS[kind].size);
  }

  /**
   * Bytes of a payload, by where it begins.
   * @param {number} payload
   */
  size(payload) {
    return this.bytes.u4(payload - RECORD.size + RECORD.at.size) - RECORD.size;
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
    return this.bytes.u2(payload - RECORD.size + RECORD.at.ns);
  }

  /**
   * When it was, in ns since the epoch; -1: before it.
   * @param {number} payload
   */
  atNs(payload) {
    return this.bytes.i8(payload - RECORD.size + RECORD.at.at_ns);
  }

  /**
   * The kernel's files that the agent kept.
   * @returns {KeptFile[]}
   */
  files() {
    return this.heads("FILE").map((offset) => {
      const whole = this.bytes.text(offset + DUMP_OUT.size, this.end(offset));
      const zero = whole.indexOf("\0");
      const path = zero < 0 ? whole : whole.slice(0, zero);
      const text = zero < 0 ? "" : whole.slice(zero + 1);
      const phase = this.bytes.u4(offset + DUMP_OUT.at.phase);
      return { phase, ns: this.ns(offset), path, text, offset };
    });
  }

  /** CLOCK_MONOTONIC at the epoch, which is 0 of all times. */
  get monotonicNs() {
    const [epoch] = this.heads("EPOCH");
    return epoch === undefined ? 0n : this.bytes.exactI8(epoch + EPOCH_OUT.at.monotonic_ns);
  }

  /** CLOCK_REALTIME at the epoch. */
  get realNs() {
    const [epoch] = this.heads("EPOCH");
    return epoch === undefined ? 0n : this.bytes.exactI8(epoch + EPOCH_OUT.at.real_ns);
  }

  /** How many events the trace buffer had no room for, as the agent was told at the end. */
  get lostTraceEvents() {
    const lost = END_OUT.at.lost_trace_events;
    return this.heads("END").reduce((most, at) => Math.max(most, this.bytes.u8(at + lost)), 0);
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
    const last = this.heads("END").at(-1);
    if (last === undefined) return null;
    const code = this.bytes.u4(last + END_OUT.at.reason);
    return END_REASONS[code] ?? `unknown (${code})`;
  }
}
