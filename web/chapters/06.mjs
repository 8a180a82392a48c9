// Chapter 6: which checks find damaged packets, on two cables with a router between them.

import { moved } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

/** @type {[string, "interfaces" | "counters", string, string][]} what it is called, table, host, counter */
const FOUND = [
  ["router: frame check", "interfaces", "router", "rx_crc_errors"],
  ["router: IP checksum", "counters", "router", "IpInHdrErrors"],
  ["right: frame check", "interfaces", "right", "rx_crc_errors"],
  ["right: IP checksum", "counters", "right", "IpInHdrErrors"],
  ["right: TCP checksum", "counters", "right", "TcpInCsumErrors"],
];

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const rows = FOUND.map(([check, table, host, name]) => ({
    check,
    packets: moved(result.table(table), { host, name }),
  }));
  return {
    data: { "data-1": rows },
    description: `${rows.map(({ check, packets }) => `${check} ${packets}`).join(", ")}.`,
  };
}

export const figures = { "explore-place": draw };
