// The time-sequence diagram, as tcptrace draws it: what one sender sent and what came back for it.

import { chartOf } from "./chart.mjs";
import { DIGITS, filled } from "./figure.mjs";
import { least, most, rounded } from "./numpy_arithmetic.mjs";
import { inside, numbersOf, oneFlow, textsOf, within } from "./runs.mjs";
import { spans, steps, thin } from "./sampling.mjs";
import { count, grouped, number } from "./words.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./figure.mjs").Row} Row */
/** @typedef {{time_s: number, kind: string, low: number, high: number}} Span */
/** @typedef {{time_s: number, ack: number, edge: number, blocks: [left: number, right: number][]}} Ack edge: ack + window */

const KINDS = ["SACK", "data", "sent again"]; // in the order in which they are drawn: what matters most last
/** @type {Readonly<Record<string, number>>} */
const MOST_SPANS = { data: 500, "sent again": 250, SACK: 350 };
const MOST_POINTS = 500;
const BLOCKS = [1, 2, 3, 4];

/**
 * Sequence number over time at the sender of one TCP flow (without a name: the first).
 *
 * Each segment is a bar from its first to its last byte; segments sent again have a colour and a mark of their own. Below
 * run the acknowledgements, above them the SACK blocks and, with `window`, the receiver's window. start, end: s.
 * @param {Result} result
 * @param {{flow?: string, start?: number, end?: number, window?: boolean}} [options]
 * @returns {Figure}
 * @throws {import("./figure.mjs").EmptyFigureError}
 * @throws {import("./figure.mjs").FigureError}
 * @throws {import("../results/captured.mjs").CaptureMissingError}
 */
export function timeSequence(result, options = {}) {
  const { start, window = true } = options;
  const name = oneFlow(result, options.flow, "time_sequence");
  const packets = packetsOf(result, name);
  const all = sentOf(packets);
  filled(all, "time_sequence", `the capture has no data of ${name}`, "capture the sender's interface");
  const sent = within(all, "time_sequence", options);
  const back = around(sent, acksOf(packets), options);
  const blocks = sacksOf(back);
  const bars = KINDS.flatMap((kind) => {
    const mine = kind === "SACK" ? blocks : sent.filter((span) => span.kind === kind);
    return spans(mine, "time_s", "low", "high", "kind", MOST_SPANS[kind]);
  });
  const again = bars.filter(({ kind }) => kind === "sent again");
  const edges = window ? line(back, ({ edge }) => edge, "window") : [];
  const data = {
    segments: onTime(bars),
    lines: onTime([...line(back, ({ ack }) => ack, "acknowledged"), ...edges]),
    again: onTime(again.map(({ time_s, high }) => ({ time_s, high }))),
  };
  return {
    data,
    description: describe(name, sent, back, blocks),
    chart: chartOf("time_sequence", data, { start, flow: name }),
  };
}

/**
 * What the sender's host saw of a flow.
 * @param {Result} result
 * @param {string} name
 */
function packetsOf(result, name) {
  const flows = result.table("flows");
  const host = textsOf(flows, "src")[textsOf(flows, "flow").indexOf(name)];
  const packets = result.packetTable(host);
  const [flow, protocol] = [textsOf(packets, "flow"), textsOf(packets, "protocol")];
  return packets.where((row) => flow[row] === name && protocol[row] === "tcp");
}

/**
 * Some rows in the order of time.
 * @param {Table} packets
 * @param {(row: number) => boolean} wanted
 */
function inOrder(packets, wanted) {
  const times = numbersOf(packets, "time_s");
  return packets.pick([...times.keys()].filter(wanted).sort((a, b) => times[a] - times[b]));
}

/**
 * Each segment with payload that left. It is sent again if its bytes do not reach beyond all that was sent before it.
 * @param {Table} packets
 * @returns {Span[]}
 */
function sentOf(packets) {
  const [direction, payload] = [textsOf(packets, "direction"), numbersOf(packets, "payload")];
  const out = inOrder(packets, (row) => direction[row] === "out" && payload[row] > 0);
  const [times, low, bytes] = ["time_s", "seq", "payload"].map((column) => numbersOf(out, column));
  let reached = -1;
  return Array.from(times, (time_s, i) => {
    const high = low[i] + bytes[i];
    const kind = high <= reached ? "sent again" : "data";
    reached = Math.max(reached, high);
    return { time_s, kind, low: low[i], high };
  });
}

/**
 * Each segment that came back.
 * @param {Table} packets
 * @returns {Ack[]}
 */
function acksOf(packets) {
  const [direction, flags] = [textsOf(packets, "direction"), textsOf(packets, "flags")];
  const back = inOrder(packets, (row) => direction[row] === "in" && !/[SR]/.test(flags[row]));
  const [times, ack, window] = ["time_s", "ack", "window"].map((column) => numbersOf(back, column));
  const left = BLOCKS.map((i) => numbersOf(back, `sack${i}_left`));
  const right = BLOCKS.map((i) => numbersOf(back, `sack${i}_right`));
  return Array.from(times, (time_s, row) => ({
    time_s,
    ack: ack[row],
    edge: ack[row] + window[row],
    blocks: left.map((column, i) => [column[row], right[i][row]]),
  }));
}

/**
 * What came back while the segments were sent, or from start to end.
 * @param {readonly Span[]} sent
 * @param {readonly Ack[]} back
 * @param {{start?: number, end?: number}} options
 */
function around(sent, back, { start, end }) {
  const times = [...sent, ...back].map(({ time_s }) => time_s);
  return inside(back, { start: start ?? least(times), end: end ?? most(times) });
}

/**
 * Each block of each acknowledgement (RFC 2018).
 * @param {readonly Ack[]} back
 * @returns {Span[]}
 */
function sacksOf(back) {
  const found = BLOCKS.flatMap((_, i) =>
    back.map(({ time_s, blocks }) => ({ time_s, kind: "SACK", low: blocks[i][0], high: blocks[i][1] })),
  );
  return found.filter(({ low }) => low >= 0).sort((a, b) => a.time_s - b.time_s || a.low - b.low);
}

/**
 * @param {readonly Ack[]} back
 * @param {(ack: Ack) => number} value
 * @param {string} kind
 */
function line(back, value, kind) {
  const rows = back.map((ack) => ({ time_s: ack.time_s, seq: value(ack), kind }));
  return thin(steps(rows, "seq", "kind"), "time_s", "seq", "kind", MOST_POINTS);
}

/**
 * @param {readonly Row[]} rows
 * @returns {Row[]}
 */
function onTime(rows) {
  return rows.map((row) => ({ ...row, time_s: rounded(Number(row.time_s), DIGITS.packetTime) }));
}

/**
 * What the figure shows, from rows that are not thinned.
 * @param {string} name
 * @param {readonly Span[]} sent
 * @param {readonly Ack[]} back
 * @param {readonly Span[]} blocks
 */
function describe(name, sent, back, blocks) {
  const times = sent.map(({ time_s }) => time_s);
  const again = sent.filter(({ kind }) => kind === "sent again");
  const top = most(sent.map(({ high }) => high));
  const text =
    `Sequence numbers of ${name} from ${number(least(times))} to ${number(most(times))} s. The sender sends ` +
    `${count(sent.length, "segment")} up to byte ${grouped(String(top - 1))}; ` +
    `${count(again.length, "segment")} of them again`;
  const first = again.length ? `, the first at ${number(least(again.map(({ time_s }) => time_s)))} s.` : ".";
  return `${text}${first}${describeAcks(back)} Receiver's SACK blocks: ${count(blocks.length, "block")}.`;
}

/** @param {readonly Ack[]} back */
function describeAcks(back) {
  if (back.length === 0) return "";
  const top = most(back.map(({ ack }) => ack));
  const text = ` Acknowledgements rise to byte ${grouped(String(top - 1))}.`;
  const fresh = back.filter(({ ack }, i) => i === 0 || ack !== back[i - 1].ack);
  if (fresh.length < 2) return text;
  const still = fresh.slice(1).map(({ time_s }, i) => time_s - fresh[i].time_s);
  const longest = most(still);
  const since = fresh[still.indexOf(longest) + 1].time_s - longest;
  return `${text} They stand still longest from ${number(since)} s, for ${number(longest)} s.`;
}
