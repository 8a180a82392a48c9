// Segments that were sent again.

import { numbers } from "./reading.mjs";

/**
 * Of the first flow.
 * @param {import("./types.mjs").Result} result
 */
export function retransmits(result) {
  return numbers(result.retransmits(), "retransmits")[0];
}
