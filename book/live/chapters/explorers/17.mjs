// What chapter 17's explorer shows of a run.

import { cwnd } from "../../../../labkit/charts/js/cwnd.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { linksOf } from "../shared/experiment.mjs";
import { moved, numbers } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

const MSS = 1448;
const CONSTANT = constant();

export const widgets = {
  "explore-law": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(cwnd(result, { ssthresh: false }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const flow = result.table("flows");
  const [received, start, last] = ["received_bytes", "start_s", "last_byte_s"].map(
    (name) => numbers(flow, name)[0],
  );
  if (flow.value("complete", 0) !== true) throw new Error("the transfer did not come to its end");
  const links = linksOf(result);
  const rtt = links.reduce((all, { forward, backward }) => all + forward.delay + backward.delay, 0);
  const rate = received / (last - start);
  const law = CONSTANT / Math.sqrt(Number(links[1].forward.loss?.p));
  const timeouts = moved(result.table("counters"), { host: "left", name: "TcpExtTCPTimeouts" });
  return {
    Rate: `${fixed((8 * rate) / 1e6, 2)} Mbit/s`,
    "Mean window": `${fixed((rate * rtt) / MSS, 1)} packets (law: ${fixed(law, 1)})`,
    Timeouts: `${timeouts}`,
  };
}

/**
 * C in C / sqrt(p) where each packet has the same chance to be lost and each is acknowledged: 1.3098, after T. Ott,
 * J. Kemperman, M. Mathis, The Stationary Behavior of Ideal TCP Congestion Avoidance, 1996.
 */
function constant() {
  let found = Math.sqrt(2 / Math.PI);
  for (let j = 1; j < 60; j++) found *= (1 - 0.5 ** (2 * j)) / (1 - 0.5 ** (2 * j - 1));
  return found;
}
