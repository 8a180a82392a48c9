// What the end of a flow makes useless: its packets that come when the socket they are for is gone. They have arrived,
// and nobody wants them any more.

import { packetTable } from "../decode/connections.mjs";
import { LEDGER } from "../decode/facts.mjs";
import { flows } from "../traffic/ends.mjs";

/** @typedef {import("../decode/drop_monitor.mjs").Drops} Drops */
/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */

/**
 * Which drops are such packets. A flow's TCP segment that finds no socket is one whenever it comes, since both sockets
 * were there before it was sent; so is anything else of a flow that has ended.
 * @param {Recorded} run
 * @param {Drops} drops
 * @returns {boolean[]}
 */
export function over(run, { frames, functions, reasons }) {
  const found = reasons.map(() => false);
  const rows = reasons.flatMap((reason, i) =>
    reason === LEDGER.noSocket && functions[i] !== LEDGER.cookie ? [i] : [],
  );
  if (rows.length === 0) return found;
  const packets = packetTable(frames.pick(rows), new Map([[0, ""]]), run.layout.flows, { checked: false });
  const ends = flows(run);
  const endS = new Map(run.layout.flows.map((flow, i) => [flow.name, Number(ends.value("end_s", i) ?? NaN)]));
  rows.forEach((row, i) => {
    const protocol = packets.value("protocol", i);
    const flow = packets.value("flow", i);
    if (flow === null || (protocol !== "tcp" && protocol !== "udp")) return;
    const flags = String(packets.value("flags", i));
    const opens = flags.includes("S") && !flags.includes("A");
    const ended = Number(packets.value("time_s", i)) >= (endS.get(String(flow)) ?? Number.NaN);
    found[row] = (protocol === "tcp" && !opens) || ended;
  });
  return found;
}
