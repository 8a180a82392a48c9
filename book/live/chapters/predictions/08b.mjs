// Chapter 8b: how many packets of a jittery line come too late.

import { numbers } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

const AROUND = 65536; // identifications count up, and begin anew there

/**
 * Packets' numbers; where they begin is of no account.
 * @param {Result} result
 */
function inOrder(result) {
  const ids = numbers(result.packetTable("right"), "ip_id");
  return ids.map((id) => (id - ids[0] + 1000 + AROUND) % AROUND);
}

/**
 * Of a hundred packets, those that a later one had overtaken.
 * @param {Result} result
 */
function late(result) {
  let newest = Number.NEGATIVE_INFINITY;
  let count = 0;
  const order = inOrder(result);
  for (const number of order) {
    if (number < newest) count++;
    newest = Math.max(newest, number);
  }
  return (100 * count) / order.length;
}

export const widgets = { "predict-late": { measure: late } };
