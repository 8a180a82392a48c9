// Chapter 21b's call: what is heard of it while there are uploads.

import { numbers } from "./reading.mjs";

const LIMIT_S = 0.15; // a packet that takes longer is of no use
const [FROM_S, TO_S] = [4, 18]; // uploads have begun, and have not ended

/**
 * Of the call's packets beside the uploads, those that were lost or came too late, in per cent.
 * @param {import("./types.mjs").Result} result
 */
export function lostOrLate(result) {
  const calls = result.table("calls");
  const delays = numbers(calls, "delay_s");
  const sent = numbers(calls, "sent_s");
  const mine = delays.filter((_, i) => sent[i] >= FROM_S && sent[i] <= TO_S);
  return (100 * mine.filter((delay) => !(delay < LIMIT_S)).length) / mine.length;
}
