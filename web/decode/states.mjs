// When the chains of the wires were in which state (ContinuousGilbertElliott).

import { STATE_ENDED, STATE_OUT, STATES } from "../program/structs.mjs";
import { inSeconds, named, sorted, Table } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */

/**
 * One row per good or bad period of each wire with such losses, by its beginning.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function lossStates({ records, layout }) {
  const { bytes } = records;
  const hosts = new Map(layout.interfaces.map((one) => [one.index, one.host]));
  const host = (/** @type {number} */ index) => hosts.get(index) ?? "";
  const ways = new Map(
    layout.ways.filter((way) => way.leave).map((way) => [way.leave, [host(way.out), host(way.into)]]),
  );
  const places = records.heads("STATE");
  const times = places.map((at) => records.atNs(at));
  const endNs = records.endNs ?? times.reduce((last, at) => Math.max(last, at), 0);
  /** @type {Map<number, number>} */
  const next = new Map(); // wire -> when its next state begins
  const until = times.map(() => endNs);
  for (let i = places.length - 1; i >= 0; i--) {
    const wire = bytes.u4(places[i] + STATE_OUT.at.interface);
    until[i] = next.get(wire) ?? endNs;
    next.set(wire, times[i]);
  }
  const rows = places.flatMap((at, i) => {
    const ends = ways.get(bytes.u4(at + STATE_OUT.at.interface));
    const state = bytes.u4(at + STATE_OUT.at.state);
    return ends !== undefined && state < STATE_ENDED ? [{ at: times[i], until: until[i], ends, state }] : [];
  });
  const names = [0, 1].map((end) => sorted(new Set([...ways.values()].map((ends) => ends[end]))));
  /** @param {0 | 1} end */
  const codes = (end) => rows.map((row) => names[end].indexOf(row.ends[end]));
  return new Table({
    time_s: inSeconds(rows.map((row) => row.at)),
    until_s: inSeconds(rows.map((row) => row.until)),
    host: named(codes(0), names[0]),
    peer: named(codes(1), names[1]),
    state: named(
      rows.map((row) => row.state),
      STATES.slice(0, STATE_ENDED),
    ),
  });
}
