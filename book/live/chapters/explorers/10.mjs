// What chapter 10's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { most } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed, percent } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput as goodputOf, numbers, sender } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-window": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const info = sender(result.table("tcp_info"));
  const [limited, busy] = ["rwnd_limited", "busy_time"].map((name) => numbers(info, name)[info.length - 1]);
  return {
    Goodput: `${fixed(goodputOf(result), 1)} Mbit/s`,
    "Receive window": `${fixed(most(numbers(info, "snd_wnd")) / 1000, 0)} kB`,
    "Waiting for it": `${percent(limited / busy)} of the time`,
  };
}
