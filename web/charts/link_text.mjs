// What a link is, in a few words, as labkit/charts/link_text.py has them: "10 Mbit/s", "20 ms", "1 % loss".

import { general } from "./words.mjs";

/** @typedef {import("../decode/types.mjs").QueueSpec} QueueSpec */
/**
 * A port of the teaching NIC.
 * @typedef {{speed: number, duplex: string, autoneg: boolean, pause: boolean, ber: number, memory_ber: number,
 *   rx_power: number | null, rx_ring: number}} Nic
 */
/**
 * How a wire loses packets; of each kind other fields.
 * @typedef {{kind: string, p?: number, n?: number, numbers?: readonly number[]}} Loss
 */
/**
 * @typedef {import("../decode/types.mjs").DirectionSpec & {delay: number, jitter: number, loss: Loss | null,
 *   corrupt: number, duplicate: number, reorder: number}} Direction
 */
/**
 * @typedef {{a: string, b: string, forward: Direction, backward: Direction, nic_a?: Nic | null,
 *   nic_b?: Nic | null}} Link
 */

/** @type {readonly [number, string][]} */
const SCALE = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
];

/**
 * What a link does to packets, forward and backward.
 * @param {Link} link
 * @returns {[string[], string[]]}
 */
export function bothWays({ forward, backward, nic_a, nic_b }) {
  const [there, back] = [parts(forward), parts(backward)];
  if (!nic_a || !nic_b) return [there, back];
  return [
    [...ports(nic_a, nic_b), ...there],
    [...ports(nic_b, nic_a), ...back],
  ];
}

/**
 * What two ports do to frames from the first to the second: the slower one's speed, flipped bits.
 * @param {Nic} sends
 * @param {Nic} receives
 */
function ports(sends, receives) {
  const found = [scaled(Math.min(sends.speed, receives.speed), "bit/s")];
  if (receives.rx_power !== null) found.push(`${general(receives.rx_power)} dBm`);
  if (receives.ber) found.push(`bit errors ${general(receives.ber)}`);
  if (receives.memory_ber) found.push(`in memory ${general(receives.memory_ber)}`);
  return found;
}

/**
 * Everything that one direction of a link does to packets, each in its own text.
 * @param {Direction} way
 */
function parts(way) {
  const found = [];
  if (way.rate !== null) found.push(scaled(way.rate, "bit/s"));
  if (way.delay) found.push(duration(way.delay) + (way.jitter ? ` ± ${duration(way.jitter)}` : ""));
  if (way.loss !== null) found.push(loss(way.loss));
  for (const name of /** @type {const} */ (["corrupt", "duplicate", "reorder"])) {
    if (way[name]) found.push(`${percent(way[name])} ${name}`);
  }
  if (way.queue !== null) found.push(queueText(way.queue));
  if (way.wire_limit !== null) found.push(`wire holds ${way.wire_limit}`);
  return found;
}

/**
 * "queue 100 packets", "fq_codel", "htb (gold, rest)".
 * @param {QueueSpec} queue
 */
function queueText({ kind, packets, bytes, classes = [] }) {
  if (classes.length > 0) return `${kind} (${classes.map((one) => one.name).join(", ")})`;
  const name = kind === "pfifo" || kind === "bfifo" ? "queue" : kind;
  if (packets !== null) return `${name} ${packets} packets`;
  return bytes !== null ? `${name} ${scaled(bytes, "B")}` : name;
}

/**
 * "1 % loss", "bursty loss", "1 in 100 lost", "packet 300 lost".
 * @param {Loss} what
 */
function loss({ kind, p = 0, n, numbers = [] }) {
  if (kind === "random") return `${percent(p)} loss`;
  if (kind === "every_nth") return `1 in ${n} lost`;
  if (kind !== "drop_packets") return "bursty loss";
  return numbers.length > 1 ? `${numbers.length} packets lost` : `packet ${numbers[0]} lost`;
}

/**
 * "10 Mbit/s", "64 kB".
 * @param {number} value
 * @param {string} unit
 */
function scaled(value, unit) {
  const [factor, prefix] = SCALE.find(([least]) => value >= least) ?? SCALE[SCALE.length - 1];
  return `${general(value / factor)} ${prefix}${unit}`;
}

/**
 * "10 ms", "1.5 s", "50 µs".
 * @param {number} seconds
 */
function duration(seconds) {
  if (seconds >= 1) return `${general(seconds)} s`;
  return seconds >= 1e-4 ? `${general(1e3 * seconds)} ms` : `${general(1e6 * seconds)} µs`;
}

/**
 * "1 %".
 * @param {number} share
 */
function percent(share) {
  return `${general(100 * share)} %`;
}
