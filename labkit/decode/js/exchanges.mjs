// Exchanges over a pool of connections: the objects of web pages, and keystrokes.

import { RawFormatError } from "./bytes.mjs";
import { between, done, flowNames } from "./requests.mjs";
import { flowsOf, readRows } from "./rows.mjs";
import { flags, floats, inSeconds, ints, seconds, Table, texts } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */

const EXCHANGE_OUT = {
  flow: "u4",
  connection: "u4",
  number: "i8",
  ready: "i8",
  sent: "i8",
  asked: "i8",
  first: "i8",
  done: "i8",
};

/**
 * Of every exchange of some flows the agent's rows, in the order of their numbers.
 * @param {Recorded} run
 * @param {ReadonlyMap<number, FlowLayout>} known
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function exchangeRows({ records }, known) {
  return readRows(records, "EXCHANGE", EXCHANGE_OUT, ["flow", "number"], (flow) => known.has(flow));
}

/**
 * One row per object of every WebPage, in the order in which they were given to the client.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function objects(run) {
  const known = flowsOf(run, "web_page");
  const rows = exchangeRows(run, known);
  /** @type {<Kept>(kept: (flow: FlowLayout) => readonly Kept[] | undefined) => Kept[]} */
  const each = (kept) =>
    Array.from(rows.number, (number, i) => {
      const found = kept(/** @type {FlowLayout} */ (known.get(rows.flow[i])))?.[number - 1];
      if (found === undefined) {
        const what = `an exchange of an object that its page has not (flow ${rows.flow[i]}, ${number})`;
        throw new RawFormatError(what, run.records.of("EXCHANGE")[0]);
      }
      return found;
    });
  return new Table({
    flow: flowNames(rows.flow, known),
    object: texts(each((flow) => flow.objects)),
    connection: ints(rows.connection),
    size_bytes: ints(each((flow) => flow.sizes)),
    ready_s: seconds(rows.ready),
    sent_s: seconds(rows.sent),
    first_byte_s: seconds(rows.first),
    done_s: seconds(rows.done),
    complete: done(rows.done),
  });
}

/**
 * One row per WebPage, with its load time.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function pages(run) {
  const found = objects(run);
  const rows = [...flowsOf(run, "web_page").values()].map((flow) => {
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

/**
 * One row per keystroke that was made, of every Interactive session.
 * @param {Recorded} run
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function keystrokes(run) {
  const known = flowsOf(run, "interactive");
  const rows = exchangeRows(run, known);
  const latency = inSeconds(between(rows.ready, rows.done));
  const slower = (/** @type {number} */ s) => flags(Array.from(latency.values, (took) => !(took <= s)));
  const found = new Table({
    flow: flowNames(rows.flow, known),
    number: ints(rows.number),
    typed_s: seconds(rows.ready),
    echoed_s: seconds(rows.done),
    latency_s: latency,
    above_100ms: slower(0.1),
    above_300ms: slower(0.3),
  });
  return found.where((row) => rows.ready[row] >= 0);
}
