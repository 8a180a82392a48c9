// What chapter 08's explorer shows of a run.

import { timeSequence } from "../../../../labkit/charts/js/time_sequence.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { ledger } from "../../../../labkit/results/js/ledger/ledger.mjs";
import { drawn } from "../shared/drawn.mjs";
import { moved, numbers } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-recovery": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) =>
      drawn(timeSequence(result, { start: 0.19, end: 0.75, window: false }), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const found = ledger(result)
    .where((row) => row > 0)
    .column("found_by");
  if (found.kind !== "name") throw new TypeError("the ledger has no names of how losses were found");
  const by = found.names
    .map((how, code) => ({ how, n: found.values.filter((value) => value === code).length }))
    .filter(({ n }) => n > 0)
    .map(({ how, n }) => `${n} ${how}`);
  return {
    "Found by": by.join(", "),
    Timeouts: `${moved(result.table("counters"), { host: "left", name: "TcpExtTCPTimeouts" })}`,
    "Finished after": `${fixed(numbers(result.table("flows"), "end_s")[0], 2)} s`,
  };
}
