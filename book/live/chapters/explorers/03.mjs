// What chapter 03's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { goodput as goodputOf, moved } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-place": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  const port = moved(result.table("interfaces"), { host: "right", name: "rx_crc_errors" });
  /** @param {string} name */
  const host = (name) => moved(result.table("counters"), { host: "right", name });
  return {
    Port: `${port} rx_crc_errors`,
    Host: `${host("IpInHdrErrors")} IpInHdrErrors, ${host("TcpInCsumErrors")} TcpInCsumErrors`,
    Goodput: `${fixed(goodputOf(result), 0)} Mbit/s`,
  };
}
