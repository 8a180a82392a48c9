// Packet pairs and trains: what the distances between packets, sent back to back, say of a path.
//
// C. Dovrolis, P. Ramanathan, D. Moore, IEEE/ACM Trans. Networking 12(6), 2004: pathrate.

import { median } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { numbers, texts } from "./reading.mjs";

/**
 * Values that lie close together: their median, how many they are, and of how many.
 * @typedef {{value: number, many: number, of: number}} Mode
 */

/**
 * The dispersion rate of each train in bit/s, in their order: 8 size (packets - 1) / (last arrival - first). NaN for one
 * that lost a packet, or has one alone.
 * @param {import("./reading.mjs").Table} trains the table `trains` of a result
 * @param {number} size bytes of a packet on the wire
 * @returns {number[]}
 */
export function rates(trains, size) {
  const [flow, train, received] = [
    texts(trains, "flow"),
    numbers(trains, "train"),
    numbers(trains, "received_s"),
  ];
  /** @type {Map<string, {flow: string, train: number, times: number[]}>} */
  const found = new Map();
  flow.forEach((name, i) => {
    const key = `${train[i]} ${name}`;
    const mine = found.get(key) ?? { flow: name ?? "", train: train[i], times: [] };
    mine.times.push(received[i]);
    found.set(key, mine);
  });
  const ordered = [...found.values()].sort((a, b) =>
    a.flow === b.flow ? a.train - b.train : a.flow < b.flow ? -1 : 1,
  );
  return ordered.map(({ times }) => {
    const took = Math.max(...times) - Math.min(...times); // NaN where a packet is missing
    return took > 0 ? (8 * size * (times.length - 1)) / took : Number.NaN;
  });
}

/**
 * Where values gather, the strongest first. A mode is the window of `width` (a share of its lower end) that holds most of
 * them; those are taken away, and the next is looked for, while a window holds `fewest`. NaN values are left out.
 * @param {readonly number[]} values above 0
 * @param {number} [width]
 * @param {number} [fewest]
 * @returns {Mode[]}
 */
export function modes(values, width = 0.05, fewest = 2) {
  const x = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const of = x.length;
  /** @type {Mode[]} */
  const found = [];
  while (x.length >= fewest) {
    const { at, many } = densest(x, width);
    if (many < fewest) break;
    found.push({ value: median(x.splice(at, many)), many, of });
  }
  return found;
}

/**
 * Where the window that holds most values begins, of equal ones the first.
 * @param {readonly number[]} x in their order
 * @param {number} width
 */
function densest(x, width) {
  let [at, many] = [0, 0];
  for (let low = 0, high = 0; low < x.length; low++) {
    while (high < x.length && x[high] <= x[low] * (1 + width)) high++;
    if (high - low > many) [at, many] = [low, high - low];
  }
  return { at, many };
}
