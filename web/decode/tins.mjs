// The tins of cake: what its xstats, which are nested attributes, say of each class of service.

import { messages, nested, within } from "./dumps.mjs";
import { CAKE } from "./facts.mjs";
import { APP, BODY, KIND, kindText, NEWQDISC, STATS2 } from "./queues.mjs";

/** @typedef {import("./raw.mjs").Records} Records */
/**
 * One tin in one dump. number: from 0; of: how many there are. "sent" is what it let in.
 * @typedef {{phase: number, ns: number, atNs: number, index: number, parent: number, number: number, of: number,
 *   backlog_bytes: number, sent_packets: number, sent_bytes: number, drops: number, marks: number}} Tin
 */

const TINS = Array.from({ length: CAKE.mostTins }, (_, i) => i + 1);

/**
 * @param {Records} records
 * @returns {Tin[]} in the order of their numbers
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function readTins(records) {
  const { bytes } = records;
  const found = messages(records, NEWQDISC).flatMap(({ phase, ns, atNs, offset, size }) => {
    const [kind, stats] = nested(bytes, offset + BODY, offset + size, [KIND, STATS2]);
    if (kindText(bytes, kind) !== "cake") return [];
    const all = within(bytes, stats, APP, CAKE.tinStats);
    const tins = nested(bytes, all.at, all.at + all.size, TINS);
    const of = tins.filter((tin) => tin.size > 0).length;
    const head = { phase, ns, atNs, index: bytes.i4(offset + 20), parent: bytes.u4(offset + 28), of };
    return tins.flatMap((tin, number) =>
      tin.size > 0 ? [{ ...head, number, ...counters(bytes, tin) }] : [],
    );
  });
  return found.sort((a, b) => a.number - b.number);
}

/**
 * @param {import("./bytes.mjs").Bytes} bytes
 * @param {import("./dumps.mjs").Place} tin
 */
function counters(bytes, tin) {
  const { tinCounters } = CAKE;
  /** @param {keyof typeof tinCounters} name */
  const read = (name) => {
    const { attribute, type } = tinCounters[name];
    const [place] = nested(bytes, tin.at, tin.at + tin.size, [attribute]);
    return type === "u8" ? bytes.i8(place.at) : bytes.number(place.at, type);
  };
  return {
    backlog_bytes: read("backlog_bytes"),
    sent_packets: read("sent_packets"),
    sent_bytes: read("sent_bytes"),
    drops: read("drops"),
    marks: read("marks"),
  };
}

/**
 * The name of a tin, as `tc` prints it.
 * @param {Tin} tin
 */
export function tinName({ number, of }) {
  return CAKE.tinNames[String(of)]?.[number] ?? `tin ${number}`;
}
