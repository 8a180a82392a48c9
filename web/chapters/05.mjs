// Chapter 5: counters along the path of a transfer with a fault.

import { most } from "../charts/numpy_arithmetic.mjs";
import { moved, numbers } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

/**
 * Counter -> by how much it has moved, from left to right.
 * @param {Result} result
 * @returns {[string, number][]}
 */
function places(result) {
  const ports = result.table("interfaces");
  const nstat = result.table("counters");
  /** @type {(host: string, name: string, port?: string) => number} */
  const port = (host, name, port = "eth0") => moved(ports, { role: "host", host, interface: port, name });
  /** @type {(host: string, name: string) => number} */
  const counter = (host, name) => moved(nstat, { host, name });
  return [
    ["router: rx_crc_errors", port("router", "rx_crc_errors")],
    ["router: rx_missed_errors", port("router", "rx_missed_errors")],
    ["router: IpInHdrErrors", counter("router", "IpInHdrErrors")],
    ["router: dropped (tc)", most(numbers(result.table("backlog"), "drops"))],
    ["missing at right", port("router", "tx_packets", "eth1") - port("right", "rx_packets")],
    ["right: IpInHdrErrors", counter("right", "IpInHdrErrors")],
    ["right: TcpInCsumErrors", counter("right", "TcpInCsumErrors")],
    ["left: TcpRetransSegs", counter("left", "TcpRetransSegs")],
  ];
}

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const found = places(result);
  return {
    data: { "data-1": found.map(([counter, packets]) => ({ counter, packets })) },
    description: `${found.map(([name, packets]) => `${name} ${packets}`).join(", ")}.`,
  };
}

export const figures = { disease: draw };
