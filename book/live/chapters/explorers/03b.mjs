// What chapter 03b's explorer shows of a run.

import { goodput } from "../../../../labkit/charts/js/goodput.mjs";
import { exponential, fixed, percent } from "../../../../labkit/charts/js/words.mjs";
import { drawn } from "../shared/drawn.mjs";
import { ber } from "../shared/optics.mjs";
import { goodput as goodputOf, moved } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Context} Context */

export const widgets = {
  "explore-light": {
    /** @param {Result} result @param {Context} context */
    draw: (result, context) => drawn(goodput(result), context),
    summary,
  },
};

/** @param {Result} result */
function summary(result) {
  /** @param {string} host @param {string} name */
  const frames = (host, name) => moved(result.table("interfaces"), { host, name });
  const [sent, bad] = [frames("left", "tx_packets"), frames("right", "rx_crc_errors")];
  return {
    "Bit error rate": exponential(ber(powerAt(result)), 1),
    Frames: `${sent} sent, ${bad} lost (${percent(bad / sent, 1)})`,
    Goodput: `${fixed(goodputOf(result), 0)} Mbit/s`,
  };
}

/**
 * The light that reaches the right port (dBm).
 * @param {Result} result
 */
function powerAt(result) {
  const [link] = /** @type {readonly {nic_b: {rx_power: number}}[]} */ (
    /** @type {unknown} */ (result.recorded.experiment.topology.links)
  );
  return link.nic_b.rx_power;
}
