// What each flow had acknowledged in a part of a run.

import { numbers, sender } from "./reading.mjs";

/**
 * Of each flow, in Mbit/s, from the first to the last sample of TCP_INFO after an instant.
 * @param {import("./types.mjs").Result} result
 * @param {number} since in s
 * @returns {{flows: string[], mbit: number[]}}
 */
export function ackedRates(result, since) {
  const info = sender(result.table("tcp_info"), since);
  const [times, acked] = [numbers(info, "time_s"), numbers(info, "bytes_acked")];
  const column = info.column("flow");
  if (column.kind !== "name") throw new TypeError("tcp_info has no names of flows");
  const found = column.names
    .map((name, code) => ({
      name,
      first: column.values.indexOf(code),
      last: column.values.lastIndexOf(code),
    }))
    .filter(({ first }) => first >= 0);
  return {
    flows: found.map(({ name }) => name),
    mbit: found.map(
      ({ first, last }) => (8e-6 * (acked[last] - acked[first])) / (times[last] - times[first]),
    ),
  };
}
