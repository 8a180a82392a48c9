// What a switch makes that is no loss: copies of a frame at hosts that it is not for, while the switch does not know
// where its host is; its own copy of each broadcast; and messages of the spanning tree protocol, which are freed once
// they are read.

import { LEDGER } from "../decode/facts.mjs";
import { ETHERNET } from "../decode/headers.mjs";

/** @typedef {import("../decode/drop_monitor.mjs").Drops} Drops */
/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */

const MAC = 6; // bytes

/**
 * Which drops are of frames that came to a host and are for another one of the network. Without switches none is: there
 * it is a flipped bit that makes such a frame.
 * @param {Recorded} run
 * @param {Drops} drops
 * @returns {boolean[]}
 */
export function flooded({ layout }, { frames, reasons }) {
  const switched = Object.values(layout.hosts).some((host) => host.forwards !== undefined);
  const macs = new Set(layout.interfaces.map((one) => one.mac.replaceAll(":", "")));
  return reasons.map((reason, i) => {
    if (!switched || reason !== LEDGER.otherHost || frames.captured[i] < ETHERNET) return false;
    return macs.has(frames.bytes.hex(frames.offset[i], frames.offset[i] + MAC));
  });
}

/**
 * Is a function one in which a switch frees what it has read, or its own copy of a broadcast?
 * @param {string} name
 */
export function ofASwitch(name) {
  return LEDGER.ofASwitch.includes(name);
}
