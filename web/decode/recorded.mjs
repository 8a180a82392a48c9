// What a run recorded, for those who make tables of it: its records, and the names that were compiled.

import { readFrames } from "./frames.mjs";
import { readQdiscs } from "./queues.mjs";
import { Records } from "./raw.mjs";
import { Trace } from "./trace.mjs";

/** @typedef {import("./types.mjs").Manifest} Manifest */
/** @typedef {import("./frames.mjs").Frames} Frames */
/** @typedef {import("./queues.mjs").Qdisc} Qdisc */

const FOR_EVER_NS = 2 ** 62;
const NS = 1e9;

/** The records of a run. What several tables are made of is read once, when first asked for. */
export class Recorded {
  /**
   * @param {Uint8Array} raw
   * @param {Manifest} manifest
   * @throws {import("./bytes.mjs").RawFormatError}
   */
  constructor(raw, manifest) {
    this.records = new Records(raw);
    this.layout = manifest.layout;
    this.experiment = manifest.experiment;
    this._given = manifest.virtual_s ?? null;
    /** @type {Trace | null} */
    this._trace = null;
    /** @type {Qdisc[] | null} */
    this._qdiscs = null;
    /** @type {Frames | null} */
    this._frames = null;
  }

  /** Every frame that was captured. */
  get frames() {
    this._frames ??= readFrames(this.records);
    return this._frames;
  }

  get trace() {
    this._trace ??= new Trace(this.records);
    return this._trace;
  }

  /** Every qdisc in every dump. */
  get qdiscs() {
    this._qdiscs ??= readQdiscs(this.records);
    return this._qdiscs;
  }

  /** How long the run was, in the network's time (s); of one that was killed, how far it is known. */
  get virtualS() {
    return this._given ?? (this.records.endNs ?? this.records.lastNs) / NS;
  }

  /** Up to when what was recorded counts (ns): the end; of a run cut off without one, for ever. */
  get untilNs() {
    const cut = this._given === null && this.records.endNs === null;
    return cut ? FOR_EVER_NS : Math.round(this.virtualS * NS);
  }
}
