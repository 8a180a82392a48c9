// Chapter 7: what becomes of each packet of a burst that meets a ring.

import { least, most, rounded } from "../charts/numpy_arithmetic.mjs";
import { byText, known, numbers, only, texts } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */
/** @typedef {{flow: string | null, sinceMs: number, tookMs: number}} Wait tookMs: NaN of one that got lost */

const DRAWN = "left-right"; // the first burst

/**
 * Each packet that left sent: when in its burst, and how long it took to right.
 * @param {Result} result
 * @returns {Wait[]}
 */
function waits(result) {
  const sent = only(result.packetTable("left"), { direction: "out" });
  const came = only(result.packetTable("right"), { direction: "in" });
  const [flows, times] = [texts(sent, "flow"), numbers(sent, "time_s")];
  const arrivals = byText(keys(came));
  const arrived = numbers(came, "time_s");
  const starts = new Map(
    [...byText(flows)].map(([flow, rows]) => [flow, least(rows.map((row) => times[row]))]),
  );
  return keys(sent).flatMap((key, i) => {
    const sinceMs = 1000 * (times[i] - (starts.get(String(flows[i])) ?? Number.NaN));
    const ends = arrivals.get(key)?.map((row) => arrived[row]) ?? [Number.NaN];
    return ends.map((end) => ({ flow: flows[i], sinceMs, tookMs: 1000 * (end - times[i]) }));
  });
}

/**
 * By what a packet is known on both sides.
 * @param {import("./shared/reading.mjs").Table} table
 */
function keys(table) {
  const flow = texts(table, "flow");
  return Array.from(numbers(table, "ip_id"), (id, i) => `${id} ${flow[i]}`);
}

/**
 * Lost packets stand in a row at the top.
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const mine = waits(result).filter(({ flow }) => flow === DRAWN);
  const took = mine.map(({ tookMs }) => rounded(tookMs, 3));
  const lost = took.filter(Number.isNaN).length;
  const top = lost < took.length ? rounded(1.1 * most(took), 3) : null;
  const rows = mine.map(({ sinceMs }, i) => ({
    since_ms: known(rounded(sinceMs, 3)),
    took_ms: Number.isNaN(took[i]) ? top : took[i],
    fate: Number.isNaN(took[i]) ? "lost" : "arrived",
  }));
  return {
    data: { "data-1": rows },
    description: `${lost} of ${mine.length} packets of the burst get lost.`,
  };
}

export const figures = { "explore-ring": draw };
