// Chapter 9: the rate that is left when ACKs are lost.

import { numbers } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */

/**
 * Mbit/s from the handshake to the last byte, or until the sender gave up.
 * @param {Result} result
 */
function rate(result) {
  const flows = result.table("flows");
  /** @param {string} name */
  const first = (name) => numbers(flows, name)[0];
  const [sent, received] = [first("sent_bytes"), first("received_bytes")];
  const end = sent > 0 && sent === received ? first("last_byte_s") : first("end_s");
  const begun = first("established_s") >= 0 ? first("established_s") : first("start_s");
  return (received * 8e-6) / (end - begun);
}

export const widgets = {
  "predict-70": { measure: rate },
  "predict-short": {
    /** @param {Result[]} results */
    measure: (results) => results.map(rate),
  },
};
