// What an active queue management says of itself: the state that the kernel dumps with its qdisc, over time.
// Which kinds have what, labkit's files of qdiscs say. Only those whose state is a plain struct: cake's is not here.

import { PHASE_SAMPLE } from "../program/structs.mjs";
import { messages, nested, within } from "./dumps.mjs";
import { AQM } from "./facts.mjs";
import { APP, BODY, device, KIND, kindText, NEWQDISC, STATS2 } from "./queues.mjs";
import { each, floats, inSeconds, order, Table } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./table.mjs").Column} Column */

const INDEX = 20; // of tcm_ifindex in the message

/**
 * One row per queue with an active queue management and sample; NaN: not of this kind.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function aqm({ records, layout }) {
  const { bytes } = records;
  const places = new Map(layout.interfaces.filter((one) => one.queue).map((one) => [device(one), one]));
  const rows = messages(records, NEWQDISC, PHASE_SAMPLE).flatMap((message) => {
    const [kindAt, stats] = nested(bytes, message.offset + BODY, message.offset + message.size, [
      KIND,
      STATS2,
    ]);
    const place = places.get(device({ ns: message.ns, index: bytes.i4(message.offset + INDEX) }));
    const kind = kindText(bytes, kindAt);
    if (place === undefined || !Object.hasOwn(AQM, kind)) return [];
    return [{ atNs: message.atNs, place, kind, state: within(bytes, stats, APP) }];
  });
  const host = each(rows.map((row) => row.place.from));
  const peer = each(rows.map((row) => row.place.to));
  /** @type {Record<string, Column>} */
  const columns = {
    time_s: inSeconds(rows.map((row) => row.atNs)),
    host,
    peer,
    kind: each(rows.map((row) => row.kind)),
  };
  /** @type {Record<string, import("./table.mjs").Floats>} */
  const states = {};
  for (const [kind, fields] of Object.entries(AQM)) {
    for (const [name, { offset, type, unit }] of Object.entries(fields)) {
      const values = rows.map((row) => {
        const there = row.kind === kind && row.state.size >= offset + Number(type.at(-1));
        return there ? bytes.number(row.state.at + offset, type) * unit : null;
      });
      states[name] = merged(states[name], values);
    }
  }
  const found = new Table({ ...columns, ...states });
  const keys = [host, peer].map((column) => (/** @type {number} */ row) => column.values[row]);
  return found.pick(order(found.length, ...keys, (row) => rows[row].atNs));
}

/**
 * A column of which other kinds have filled some rows already.
 * @param {import("./table.mjs").Floats | undefined} before
 * @param {readonly (number | null)[]} values
 */
function merged(before, values) {
  return floats(values.map((value, row) => value ?? before?.values[row] ?? Number.NaN));
}
