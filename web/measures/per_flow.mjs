// What came of each flow, and of all flows of a protocol together.

import { ackedOf } from "../charts/goodput.mjs";
import { least, linear, most, sum } from "../charts/numpy_arithmetic.mjs";
import { eachSeries, numbersOf, textsOf } from "../charts/runs.mjs";
import { ordered } from "./values_by_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */

/**
 * Of each flow its rows' figures; of a share, or since a time, of each TCP connection.
 * @param {Result} result
 * @param {string} name
 * @param {number} since
 * @returns {Rows}
 */
export function perFlow(result, name, since) {
  const flows = result.table("flows");
  const names = textsOf(flows, "flow");
  if (name === "share" || (name === "goodput" && since)) {
    const rates = ackedSince(result, since);
    const all = sum([...rates.values()].filter((rate) => !Number.isNaN(rate)));
    const found = name === "share" ? [...rates].map(([flow, rate]) => [flow, rate / all]) : [...rates];
    return ordered(result, new Map(/** @type {[string, number][]} */ (found)));
  }
  return new Map(names.map((flow, i) => [flow, ended(result, name)[i]]));
}

/**
 * A figure of each flow's end.
 * @param {Result} result
 * @param {string} name
 */
function ended(result, name) {
  const flows = result.table("flows");
  if (name === "goodput") return numbersOf(result.goodput(), "goodput");
  if (name !== "duration") return numbersOf(flows, name);
  const [last, start, complete] = ["last_byte_s", "start_s", "complete"].map((one) => numbersOf(flows, one));
  return last.map((end, i) => (complete[i] ? end - start[i] : Number.NaN));
}

/**
 * Mbit/s of payload that each TCP sender saw acknowledged from then on, within the time that it was given, by TCP_INFO;
 * NaN for one that had no time left.
 * @param {Result} result
 * @param {number} since in s
 * @returns {Map<string, number>}
 */
export function ackedSince(result, since) {
  return ordered(
    result,
    new Map(
      [...eachSeries(ackedOf(result))].map(([flow, mine]) => {
        const [times, bytes] = [mine.map(({ time_s }) => time_s), mine.map((one) => one.bytes)];
        const begun = Math.max(since, times[0]);
        const took = times[times.length - 1] - begun;
        const grown = bytes[bytes.length - 1] - linear(begun, times, bytes);
        return [flow, took > 0 ? (8e-6 * grown) / took : Number.NaN];
      }),
    ),
  );
}

/**
 * Of all flows of a protocol together.
 * @param {Result} result
 * @param {string} name
 * @returns {Rows}
 */
export function perProtocol(result, name) {
  const flows = result.table("flows");
  const protocols = textsOf(flows, "protocol");
  return new Map(
    [...new Set(protocols)].map((protocol) => {
      /** @param {ArrayLike<number>} values */
      const mine = (values) =>
        Array.from(values).filter((value, i) => protocols[i] === protocol && !Number.isNaN(value));
      return [protocol, together(result, name, protocol, mine)];
    }),
  );
}

/**
 * @param {Result} result
 * @param {string} name
 * @param {string} protocol
 * @param {(values: ArrayLike<number>) => number[]} mine
 */
function together(result, name, protocol, mine) {
  const flows = result.table("flows");
  const rates = () => mine(numbersOf(result.goodput(), "goodput"));
  if (name === "goodput_sum") return sum(rates());
  if (name === "goodput_min") return rates().length ? least(rates()) : null;
  if (name === "goodput_max") return rates().length ? most(rates()) : null;
  if (name === "retransmits_sum")
    return protocol === "tcp" ? sum(mine(numbersOf(flows, "retransmits"))) : null;
  const [sent, received] = ["sent_packets", "received_packets"].map((one) =>
    sum(mine(numbersOf(flows, one))),
  );
  return sent && protocol !== "tcp" ? 1 - received / sent : null;
}
