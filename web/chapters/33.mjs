// Chapter 33: what six counters say after a transfer with a fault.

import { most } from "../charts/numpy_arithmetic.mjs";
import { moved, numbers, ofFlow } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

const HOSTS = ["left", "r1", "r2", "right"];

/**
 * Counter -> packets, in the chapter's order.
 * @param {Result} result
 * @returns {Record<string, number>}
 */
function witnesses(result) {
  const ports = result.table("interfaces");
  const sent = moved(ports, { host: "r1", interface: "eth1", name: "tx_packets" });
  const came = moved(ports, { host: "r2", interface: "eth0", name: "rx_packets" });
  return {
    "errors at the sender": moved(ports, { host: "left", name: "tx_errors" }),
    "CRC errors of all cards": moved(ports, { host: HOSTS, name: "rx_crc_errors" }),
    "missed by all cards": moved(ports, { host: HOSTS, name: "rx_missed_errors" }),
    "dropped by r1's queue": most(numbers(result.table("backlog"), "drops")),
    "died on the line": Math.max(sent - came, 0),
    "sent again by TCP": ofFlow(result.table("flows"), "transfer", "retransmits"),
  };
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const rows = Object.entries(witnesses(result)).map(([counter, packets]) => ({ counter, packets }));
  return {
    data: { "data-1": rows },
    description:
      "What six counters say after a transfer with the chosen fault. Two of them at most stand out, and with a " +
      "small window none.",
  };
}

export const figures = { "who-counts": draw };
