// TCP_CC_INFO samples: union tcp_cc_info (uapi linux/inet_diag.h), as the algorithm filled it, as a table.

import { CC_NAME, INFO_OUT } from "../program/structs.mjs";
import { CC_INFO, CC_INFO_ONE, CC_INFO_WORDS, UNITS } from "./facts.mjs";
import { floats, inSeconds, named, Table, texts } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./table.mjs").Column} Column */
const HEAD = INFO_OUT.size + CC_NAME;
const COLUMNS = Object.keys(UNITS.cc_info).filter((name) => !["time_s", "flow", "cc"].includes(name));

/**
 * One row per flow and sample: what its congestion control says of itself; other columns are NaN. One that says nothing
 * has no rows. What is neither BBR's nor DCTCP's nor one of Vegas's relatives are words, in the order of the union.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function ccInfo({ records, layout }) {
  const { bytes } = records;
  const places = records.of("CC_INFO", HEAD).filter((at) => records.size(at) > HEAD);
  const ccs = places.map((at) => bytes.textWithoutZeros(at + INFO_OUT.size, at + HEAD));
  /** @type {Record<string, Float64Array>} */
  const values = Object.fromEntries(
    COLUMNS.map((name) => [name, new Float64Array(places.length).fill(Number.NaN)]),
  );
  places.forEach((place, row) => {
    const start = place + HEAD;
    for (const { name, at, size } of Object.hasOwn(CC_INFO, ccs[row]) ? CC_INFO[ccs[row]] : CC_INFO_WORDS) {
      // An older kernel or a module of one's own may fill fewer.
      if (start + at + size > records.end(place)) break;
      values[name][row] = bytes.number(start + at, `u${size}`) / (CC_INFO_ONE[name] ?? 1);
    }
  });
  const ids = layout.flows.map((flow) => flow.id);
  return new Table({
    time_s: inSeconds(places.map((at) => records.atNs(at))),
    flow: named(
      places.map((at) => ids.indexOf(bytes.u4(at + INFO_OUT.at.flow))),
      layout.flows.map((flow) => flow.name),
    ),
    cc: texts(ccs),
    ...Object.fromEntries(COLUMNS.map((name) => [name, floats(values[name])])),
  });
}
