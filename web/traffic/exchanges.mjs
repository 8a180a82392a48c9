// Web pages: what their objects tell of each.

import { PLAIN } from "../decode/facts.mjs";
import { plainTable } from "../decode/plain_tables.mjs";
import { flags, floats, ints, Table, texts } from "../decode/table.mjs";

/** @typedef {import("../decode/recorded.mjs").Recorded} Recorded */

/**
 * One row per WebPage, with its load time.
 * @param {Recorded} run
 * @throws {import("../decode/bytes.mjs").RawFormatError}
 */
export function pages(run) {
  const found = plainTable(run, PLAIN.objects);
  const rows = run.layout.flows
    .filter((flow) => flow.kind === "web_page")
    .map((flow) => {
      const mine = found.where((row) => found.value("flow", row) === flow.name);
      const times = mine.rows().flatMap((row) => (row.done_s === null ? [] : [Number(row.done_s)]));
      const connections = new Set(
        mine.rows().flatMap((row) => (Number(row.connection) > 0 ? [row.connection] : [])),
      );
      const startS = flow.start_s ?? 0;
      const whole = times.length === flow.objects?.length;
      return {
        flow: flow.name,
        startS,
        firstS: times.length > 0 ? Math.min(...times) - startS : Number.NaN,
        loadS: whole ? Math.max(...times) - startS : Number.NaN,
        objects: times.length,
        connections: connections.size,
        whole,
      };
    });
  return new Table({
    flow: texts(rows.map((row) => row.flow)),
    start_s: floats(rows.map((row) => row.startS)),
    first_object_s: floats(rows.map((row) => row.firstS)),
    load_s: floats(rows.map((row) => row.loadS)),
    objects: ints(rows.map((row) => row.objects)),
    connections: ints(rows.map((row) => row.connections)),
    complete: flags(rows.map((row) => row.whole)),
  });
}
