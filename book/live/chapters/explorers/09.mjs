// What chapter 09's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { moved, numbers, only } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const UNDONE = ["Full", "Loss", "DSACK", "Partial"];

export const widgets = {
  "explore-ack-loss": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const counters = result.table("counters");
  const undone = UNDONE.map((way) => `TcpExtTCP${way}Undo`);
  const timeouts = moved(counters, { host: "C", name: "TcpExtTCPTimeouts" });
  return {
    Arrived: `${fixed(numbers(result.table("flows"), "received_bytes")[0] / 1e6, 2)} MB`,
    Timeouts: `${timeouts}, ${moved(counters, { host: "C", name: undone })} undone`,
    "Data dropped": `${only(result.table("drops"), { place: "queue" }).length} packets`,
  };
}
