// Everything that was lost on its way to a socket: what the kernel freed as lost, and what no event tells of.

import { LEDGER } from "../decode/facts.mjs";
import { Frames } from "../decode/frames.mjs";
import { dissect, ETHERNET } from "../decode/headers.mjs";
import { order } from "../decode/table.mjs";
import { freed, useless } from "./drops.mjs";
import { flooded } from "./flooded.mjs";
import { over } from "./flow_over.mjs";
import { unheard } from "./listening.mjs";

/** @typedef {import("../decode/drop_monitor.mjs").Drops} Drops */
/** @typedef {import("../decode/port_losses.mjs").PortLosses} PortLosses */
/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */
/** @typedef {import("./result.mjs").Result} Result */
/**
 * names: of all reasons, in the order of their column.
 * @typedef {{drops: Drops, ports: PortLosses, names: string[]}} Lost
 */

export const CRC = 1; // enum labnic_cause: the frame check failed
const HANDLED = [0x0800, 0x0806]; // IPv4, ARP

/**
 * @param {Result} result
 * @returns {Lost}
 */
export function lost(result) {
  const { found: every, ports, names } = freed(result.recorded);
  const unknown = unheard(result, every);
  const away = useless(every, dissect(every.frames));
  const late = over(result.recorded, every);
  const copies = flooded(result.recorded, every);
  const rows = away.flatMap((gone, i) => (gone || late[i] || copies[i] ? [] : [i]));
  const { frames } = result.recorded;
  const strange = unhandled(result.recorded);
  const parts = [
    part(frames.pick(strange), "__netif_receive_skb_core", "UNHANDLED_PROTO"),
    part(every.frames.pick(unknown.segments), "tcp_v4_rcv", LEDGER.overflow),
    part(frames.pick(unknown.syns), LEDGER.request, unknown.reason),
  ];
  /** @type {Lost} */
  let found = {
    drops: {
      frames: every.frames.pick(rows),
      functions: rows.map((i) => every.functions[i]),
      reasons: rows.map((i) => every.reasons[i]),
    },
    ports: { port: rows.map((i) => ports.port[i]), cause: rows.map((i) => ports.cause[i]) },
    names,
  };
  for (const more of parts) found = withMore(found, more);
  return found;
}

/**
 * Frames that were lost at one place for one reason.
 * @param {Frames} frames
 * @param {string} name the kernel's function
 * @param {string} reason
 */
function part(frames, name, reason) {
  return { frames, name, reason };
}

/**
 * The same with frames of the same raw file that were lost too, in the order of time.
 * @param {Lost} lost
 * @param {ReturnType<typeof part>} more
 * @returns {Lost}
 */
function withMore(lost, { frames, name, reason }) {
  if (frames.length === 0) return lost;
  const { drops, ports, names } = lost;
  const both = Frames.joined(drops.frames, frames);
  const none = Array.from({ length: frames.length }, () => 0);
  const sorted = Array.from(order(both.length, (i) => both.atNs[i]));
  const functions = [...drops.functions, ...none.map(() => name)];
  const reasons = [...drops.reasons, ...none.map(() => reason)];
  const [port, cause] = [
    [...ports.port, ...none],
    [...ports.cause, ...none],
  ];
  return {
    drops: {
      frames: both.pick(sorted),
      functions: sorted.map((i) => functions[i]),
      reasons: sorted.map((i) => reasons[i]),
    },
    ports: { port: sorted.map((i) => port[i]), cause: sorted.map((i) => cause[i]) },
    names: names.includes(reason) ? names : [...names, reason],
  };
}

/**
 * What came in where it was captured and is of no protocol there: the kernel gives such a frame to the capture alone,
 * and then does not free it as lost.
 * @param {Recorded} run
 */
function unhandled({ frames, untilNs }) {
  const rows = [];
  for (let i = 0; i < frames.length; i++) {
    if (frames.captured[i] < ETHERNET || frames.outgoing[i] || frames.atNs[i] > untilNs) continue;
    if (!HANDLED.includes(frames.bytes.u2Network(frames.offset[i] + ETHERNET - 2))) rows.push(i);
  }
  return rows;
}
