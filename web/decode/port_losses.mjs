// Frames lost in the ports of the teaching NIC: the drop monitor has the frame, the driver's own event has who lost it
// and why. Both come from one place (labnic_lose), in one order, at one virtual instant.

/** @typedef {import("./drop_monitor.mjs").Drops} Drops */
/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/**
 * One entry per drop. port: index of the device that lost it, 0: no port did; cause: the driver's (enum labnic_cause).
 * @typedef {{port: number[], cause: number[]}} PortLosses
 */

const FRAME_LOST = "labnic/frame_lost";
export const LOSER = "labnic_lose";

/** The drop monitor and the driver do not tell of the same lost frames. */
export class PortLossError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "PortLossError";
  }
}

/**
 * Which of the drops were frames lost by a port.
 * @param {Drops} drops all of a run
 * @param {Recorded} run
 * @returns {PortLosses}
 * @throws {PortLossError}
 */
export function portLosses(drops, { trace, records }) {
  const found = { port: drops.functions.map(() => 0), cause: drops.functions.map(() => 0) };
  const mine = drops.functions.flatMap((name, i) => (name === LOSER ? [i] : []));
  if (mine.length === 0) return found;
  if (!trace.formats.has(FRAME_LOST)) {
    throw new PortLossError(`${mine.length} frames were lost by ports, and ${FRAME_LOST} was not traced`);
  }
  const events = trace.occurrences(FRAME_LOST);
  const lastNs = records.endNs ?? Number.POSITIVE_INFINITY;
  const told = mine.slice(0, events.length);
  const late = mine.slice(events.length); // freed while the rest of the drops was read, after the trace had been
  const sizes = events.numbers("len");
  const same =
    told.length === events.length &&
    late.every((i) => drops.frames.atNs[i] >= lastNs) &&
    told.every((i, row) => drops.frames.size[i] === sizes[row]);
  if (!same) throw new PortLossError(notTheSame(mine.length, events.length, trace.lost));
  const [ports, causes] = [events.numbers("ifindex"), events.numbers("cause")];
  told.forEach((i, row) => {
    found.port[i] = ports[row];
    found.cause[i] = causes[row];
  });
  return found;
}

/**
 * @param {number} dropped
 * @param {number} told
 * @param {number} lost
 */
function notTheSame(dropped, told, lost) {
  const gaps = lost > 0 ? `; ${lost} trace events were lost` : "";
  const what = `the drop monitor has ${dropped} frames lost by ports, the driver told of ${told}${gaps}`;
  return `${what}: ask for fewer flows, lower rates or a shorter run, or report it`;
}
