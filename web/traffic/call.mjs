// Calls: when each packet was sent, when it came, and when it could be used, by itself or repaired.

import { RawFormatError } from "../decode/bytes.mjs";
import { PLAIN } from "../decode/facts.mjs";
import { RecordRows } from "../decode/plain_tables.mjs";
import { floats, ints, named, Table } from "../decode/table.mjs";
import { datagrams, usable } from "./fec.mjs";

/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */
/** @typedef {import("../decode/types.mjs").FlowLayout} FlowLayout */
/**
 * A packet of a call; times in s, NaN: never.
 * @typedef {{number: number, sentS: number, receivedS: number, usableS: number}} Row
 */

/**
 * One row per packet of every Call that was due before the end.
 * @param {Recorded} run
 * @throws {import("../decode/bytes.mjs").RawFormatError}
 */
export function calls(run) {
  const flows = run.layout.flows.filter((flow) => flow.kind === "call");
  const rows = flows.flatMap((flow, code) => {
    const mine = flow.protocol === "tcp" ? overTcp(run, flow) : overUdp(run, flow);
    return mine.map((row, i) => ({ ...row, code, number: i + 1 }));
  });
  return new Table({
    flow: named(
      rows.map((row) => row.code),
      flows.map((flow) => flow.name),
    ),
    number: ints(rows.map((row) => row.number)),
    sent_s: floats(rows.map((row) => row.sentS)),
    received_s: floats(rows.map((row) => row.receivedS)),
    usable_s: floats(rows.map((row) => row.usableS)),
    delay_s: floats(rows.map((row) => row.usableS - row.sentS)),
  });
}

/**
 * @param {Recorded} run
 * @param {FlowLayout} flow
 * @returns {Omit<Row, "number">[]}
 */
function overTcp(run, flow) {
  const rows = new RecordRows(run, "EXCHANGE", [flow], PLAIN.objects.order);
  const asked = rows.numbers("asked_ns");
  return Array.from(rows.numbers("ready_ns"), (due, i) => {
    const came = asked[i] < 0 ? Number.NaN : asked[i] / 1e9;
    return { due, sentS: due / 1e9, receivedS: came, usableS: came };
  }).filter((row) => row.due >= 0);
}

/**
 * @param {Recorded} run
 * @param {FlowLayout} flow
 * @returns {Omit<Row, "number">[]}
 */
function overUdp(run, flow) {
  const rows = new RecordRows(run, "TRAIN", [flow], PLAIN.trains.order);
  const [numbers, dueNs, cameNs] = ["train", "sent_ns", "received_ns"].map((field) => rows.numbers(field));
  const plan = datagrams(flow.fec ?? null, flow.packets ?? 0);
  const arrived = plan.map(() => Number.NaN);
  const sent = plan.map(() => Number.NaN);
  const strange = numbers.find((number) => !(number in plan));
  if (strange !== undefined) {
    throw new RawFormatError(`a packet that its call has not (${strange})`, run.records.of("TRAIN")[0]);
  }
  numbers.forEach((number, i) => {
    arrived[number] = cameNs[i] < 0 ? Number.NaN : cameNs[i] / 1e9;
    sent[number] = dueNs[i] / 1e9;
  });
  /** @type {Map<number, number>} */
  const first = new Map(); // packet -> its first datagram
  plan.forEach(({ packet }, i) => {
    if (!first.has(packet)) first.set(packet, i);
  });
  const { received, usableS } = usable(flow.fec ?? null, flow.packets ?? 0, plan, arrived);
  return received
    .map((came, packet) => {
      const sentS = sent[/** @type {number} */ (first.get(packet))];
      return { sentS, receivedS: came, usableS: usableS[packet] };
    })
    .filter((row) => !Number.isNaN(row.sentS));
}
