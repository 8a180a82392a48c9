// Video streams: each segment, and what a viewer saw.

import { RawFormatError } from "./bytes.mjs";
import { done, flowNames } from "./requests.mjs";
import { flowsOf, readRows } from "./rows.mjs";
import { flags, floats, inSeconds, ints, seconds, Table, texts } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */

const SEGMENT_OUT = {
  flow: "u4",
  rate: "u4",
  number: "i8",
  sent: "i8",
  first: "i8",
  done: "i8",
  buffered: "i8",
  stalled: "i8",
};

/**
 * One row per segment that was asked for, of every Stream.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function segments(run) {
  const known = flowsOf(run, "stream");
  const rows = readRows(run.records, "SEGMENT", SEGMENT_OUT, ["flow", "number"]);
  /** @param {"ladder" | "sizes"} name */
  const rung = (name) =>
    Array.from(rows.rate, (rate, i) => {
      const found = known.get(rows.flow[i])?.[name]?.[rate];
      if (found === undefined) {
        const what = `a segment of a rate that its stream has not (flow ${rows.flow[i]}, ${rate})`;
        throw new RawFormatError(what, run.records.of("SEGMENT")[0]);
      }
      return found;
    });
  return new Table({
    flow: flowNames(rows.flow, known),
    number: ints(rows.number),
    rate: ints(rung("ladder")),
    size_bytes: ints(rung("sizes")),
    asked_s: seconds(rows.sent),
    first_byte_s: seconds(rows.first),
    done_s: seconds(rows.done),
    buffer_s: inSeconds(rows.buffered),
    stalled_s: inSeconds(rows.stalled),
    complete: done(rows.done),
  });
}

/**
 * One row per Stream: start-up delay, stalls, mean rate.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function playback(run) {
  const found = segments(run);
  const rows = [...flowsOf(run, "stream").values()].map((flow) =>
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
