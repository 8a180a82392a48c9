// Counters with a value before and one after the run, as a table.

import { PHASE_AFTER, PHASE_BEFORE } from "../program/structs.mjs";
import { each, ints, Table } from "./table.mjs";

/** @typedef {import("./table.mjs").Column} Column */
/**
 * A counter: what names it, and a value of it.
 * @typedef {{names: readonly string[], value: number}} Counter
 */

/** What was read of counters in two phases. */
export class Phases {
  constructor() {
    /** @type {[string, Counter][][]} */
    this._before = [];
    /** @type {Map<string, Counter>} */
    this._after = new Map();
  }

  /**
   * The first value before and the last one after count: an open laboratory runs several programs.
   * @param {number} phase others than these two are no counter's
   * @param {readonly Counter[]} counters
   */
  keep(phase, counters) {
    /** @type {[string, Counter][]} */
    const found = counters.map((counter) => [counter.names.join("\0"), counter]);
    if (phase === PHASE_BEFORE) this._before.push(found);
    if (phase === PHASE_AFTER) for (const [key, counter] of found) this._after.set(key, counter);
  }

  /**
   * A counter that appears during the run was 0; one that was not read after a cut run is missing.
   * @param {readonly string[]} names of the columns that name a counter
   * @returns {Table}
   */
  table(names) {
    const read = new Map([...this._before].reverse().flat());
    const rows = [...new Map([...this._after, ...read])].map(([key, counter]) => ({
      names: counter.names,
      before: read.get(key)?.value ?? 0,
      after: this._after.get(key)?.value ?? 0,
    }));
    const cut = this._after.size === 0 && read.size > 0;
    const missing = cut ? new Uint8Array(rows.length).fill(1) : undefined;
    /** @type {(place: number) => Column} */
    const name = (place) => each(rows.map((row) => row.names[place]));
    return new Table({
      ...Object.fromEntries(names.map((column, place) => [column, name(place)])),
      before: ints(rows.map((row) => row.before)),
      after: ints(
        rows.map((row) => row.after),
        missing,
      ),
      delta: ints(
        rows.map((row) => row.after - row.before),
        missing,
      ),
    });
  }
}
