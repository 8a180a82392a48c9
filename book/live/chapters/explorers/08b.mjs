// What chapter 08b's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { retransmits } from "../shared/again.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput, moved } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-jitter": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const spurious = moved(result.table("counters"), { host: "left", name: "TcpExtTCPDSACKRecv" });
  return {
    Goodput: `${fixed(goodput(result), 1)} Mbit/s`,
    "Sent again": `${retransmits(result)} packets`,
    "of these spurious": `${spurious}`,
  };
}
