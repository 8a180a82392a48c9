// Which of the captured frames are a host's.

/** @typedef {import("../decode/frames.mjs").Frames} Frames */
/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */

/** Packets that were not captured; says what to do. */
export class CaptureMissingError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "CaptureMissingError";
  }
}

/**
 * The frames that passed a host's interfaces, and the interfaces' names by their index; without a host all that were
 * captured.
 * @param {Recorded} run
 * @param {string} [host]
 * @param {string} [interface_] only of this one
 * @returns {{frames: Frames, names: Map<number, string>}}
 * @throws {CaptureMissingError}
 */
export function captured(run, host, interface_) {
  const { layout, experiment } = run;
  const kept = layout.interfaces.filter(
    (one) =>
      one.role === "host" &&
      experiment.capture.some((of) => of.host === one.host && [null, one.name].includes(of.interface)),
  );
  const wanted = layout.interfaces.filter(
    (one) => one.role === "host" && one.host === host && [undefined, one.name].includes(interface_),
  );
  const lacking = wanted.find((one) => !kept.includes(one));
  if (lacking !== undefined || kept.length === 0) {
    const whose = lacking === undefined ? "left" : lacking.host;
    const what = lacking === undefined ? "nothing" : `${lacking.host}'s ${lacking.name} not`;
    throw new CaptureMissingError(`${what} was captured: run again with capture=["${whose}"]`);
  }
  if (host !== undefined && wanted.length === 0) {
    const known = kept.map((one) => `${one.host}.${one.name}`).join(", ");
    const asked = interface_ === undefined ? host : `${host}.${interface_}`;
    throw new CaptureMissingError(`${asked}: no such interface: captured were ${known}`);
  }
  const mine = host === undefined ? kept : wanted;
  const names = new Map(
    mine.map((one) => [one.index, host === undefined ? `${one.host}.${one.name}` : one.name]),
  );
  const all = run.frames;
  const rows = [];
  for (let i = 0; i < all.length; i++) if (names.has(all.interface[i])) rows.push(i);
  return { frames: all.pick(rows), names };
}
