// Trains of datagrams, and pings: when each packet was sent and when it, or its answer, arrived.

import { between, flowNames } from "./requests.mjs";
import { flowsOf, readRows } from "./rows.mjs";
import { inSeconds, ints, seconds, Table } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */

const TRAIN_OUT = { flow: "u4", packet: "u4", train: "i8", sent: "i8", received: "i8" };

/**
 * Of every packet of all trains of some flows the agent's rows, in the order of their numbers.
 * @param {Recorded} run
 * @param {ReadonlyMap<number, FlowLayout>} known
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function trainRows({ records }, known) {
  return readRows(records, "TRAIN", TRAIN_OUT, ["flow", "train", "packet"], (flow) => known.has(flow));
}

/**
 * One row per packet of all Trains.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function trains(run) {
  const known = flowsOf(run, "trains");
  const rows = trainRows(run, known);
  return new Table({
    flow: flowNames(rows.flow, known),
    train: ints(rows.train.map((number) => number + 1)),
    packet: ints(rows.packet.map((number) => number + 1)),
    sent_s: inSeconds(rows.sent),
    received_s: seconds(rows.received),
  });
}

/**
 * One row per echo request of all Pings.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function pings(run) {
  const known = flowsOf(run, "pings");
  const rows = trainRows(run, known);
  return new Table({
    flow: flowNames(rows.flow, known),
    number: ints(rows.train.map((number) => number + 1)),
    sent_s: inSeconds(rows.sent),
    rtt_s: inSeconds(between(rows.sent, rows.received)),
  });
}
