// Chapter 3: which share of frames is lost at five bit error rates.

import { moved } from "../shared/reading.mjs";

/**
 * Of the frames that left sent, those whose check failed at right, in per cent.
 * @param {import("../shared/types.mjs").Result} result
 */
function percent(result) {
  const interfaces = result.table("interfaces");
  const sent = moved(interfaces, { host: "left", name: "tx_packets" });
  return (100 * moved(interfaces, { host: "right", name: "rx_crc_errors" })) / sent;
}

export const widgets = {
  "predict-fer": {
    /** @param {import("../shared/types.mjs").Result[]} results */
    measure: (results) => results.map(percent),
  },
};
