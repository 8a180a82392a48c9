// Video streams: what a viewer saw.

import { PLAIN } from "../decode/facts.mjs";
import { plainTable } from "../decode/plain_tables.mjs";
import { flags, floats, ints, Table, texts } from "../decode/table.mjs";

/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */
/** @typedef {import("../decode/types.mjs").FlowLayout} FlowLayout */

/**
 * One row per Stream: start-up delay, stalls, mean rate.
 * @param {Recorded} run
 * @throws {import("../decode/bytes.mjs").RawFormatError}
 */
export function playback(run) {
  const found = plainTable(run, PLAIN.segments);
  const flows = run.layout.flows.filter((flow) => flow.kind === "stream");
  const rows = flows.map((flow) =>
    seen(
      flow,
      found.where((row) => found.value("flow", row) === flow.name),
    ),
  );
  return new Table({
    flow: texts(rows.map((row) => row.flow)),
    startup_s: floats(rows.map((row) => row.startupS)),
    stalls: ints(rows.map((row) => row.stalls)),
    stalled_s: floats(rows.map((row) => row.stalledS)),
    mean_rate: floats(rows.map((row) => row.meanRate)),
    switches: ints(rows.map((row) => row.switches)),
    segments: ints(rows.map((row) => row.segments)),
    complete: flags(rows.map((row) => row.complete)),
  });
}

/**
 * What the viewer of one stream saw.
 * @param {FlowLayout} flow
 * @param {Table} asked its segments
 */
function seen(flow, asked) {
  const came = asked.where((row) => asked.value("complete", row) === true);
  /** @type {(table: Table, name: string) => number[]} */
  const numbers = (table, name) =>
    Array.from({ length: table.length }, (_, row) => Number(table.value(name, row)));
  const [stalled, rates] = [numbers(asked, "stalled_s"), numbers(came, "rate")];
  const begun = numbers(came, "number").indexOf(flow.plays_with ?? 0);
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
  return {
    flow: flow.name,
    startupS: begun < 0 ? Number.NaN : Number(came.value("done_s", begun)) - (flow.start_s ?? 0),
    stalls: stalled.filter((time) => time > 0).length,
    stalledS: sum(stalled),
    meanRate: rates.length > 0 ? sum(rates) / rates.length : Number.NaN,
    switches: rates.filter((rate, i) => i > 0 && rate !== rates[i - 1]).length,
    segments: came.length,
    complete: came.length === flow.segments,
  };
}
