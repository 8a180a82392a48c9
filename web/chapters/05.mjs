// Chapter 5: what the counters of all hosts say of a sick transfer.

import { most } from "../charts/numpy_arithmetic.mjs";
import { moved, numbers } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

const NSTAT = ["IpInHdrErrors", "TcpInCsumErrors", "TcpRetransSegs"];

/**
 * Counter -> by how much it has moved.
 * @param {Result} result
 * @returns {[string, number][]}
 */
function board(result) {
  const ports = result.table("interfaces");
  const counters = result.table("counters");
  /** @type {(host: string, port: string, name: string) => number} */
  const at = (host, port, name) => moved(ports, { role: "host", host, interface: port, name });
  return [
    ["queue drops", most(numbers(result.table("backlog"), "drops"))],
    ["device errors", moved(ports, { role: "host", name: ["rx_errors", "tx_errors"] })],
    .../** @type {[string, number][]} */ (NSTAT.map((name) => [name, moved(counters, { name })])),
    ["sent - arrived", at("router", "eth1", "tx_packets") - at("right", "eth0", "rx_packets")],
  ];
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const found = board(result);
  return {
    data: { "data-1": found.map(([counter, packets]) => ({ counter, packets })) },
    description: `${found.map(([name, packets]) => `${name} ${packets}`).join(", ")}.`,
  };
}

export const figures = { disease: draw };
