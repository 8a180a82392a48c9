// Sequence numbers that count from the SYN and go on beyond 2^32, and windows as they are scaled.

import { SACK_BLOCKS } from "./headers.mjs";

/** @typedef {import("./headers.mjs").Headers} Headers */
/** @typedef {import("./directions.mjs").Directions} Directions */

const SYN = 2;
const ACK = 16;
const FARTHEST = 1 << 29; // half of the largest window: two neighbours are nearer than that
const LARGEST_SCALE = 14;

/**
 * The shorter way round 2^32.
 * @param {number} difference
 */
function signed(difference) {
  return difference | 0; // modulo 2^32, whatever its size
}

/**
 * values - base, going on beyond 2^32: each one is near the one before it. A value that is far from both its
 * neighbours (a flipped bit) is no such neighbour itself.
 * @param {readonly number[]} values
 * @param {number} base
 * @returns {number[]}
 */
export function unwrapped(values, base) {
  if (values.length === 0) return [];
  const steady = neighbours(values);
  /** @type {number[]} */
  const found = [];
  let near = -1; // the last of `steady` so far
  let sum = signed(values[0] - base); // below 0 if the first one captured is older than the base
  values.forEach((value, i) => {
    if (steady[near + 1] === i) {
      if (near >= 0) sum += signed(value - values[steady[near]]);
      near++;
      found.push(sum);
    } else {
      found.push(sum + signed(value - values[steady[near]]));
    }
  });
  return found;
}

/**
 * The places of the values that are near a neighbour.
 * @param {readonly number[]} values
 * @returns {number[]}
 */
function neighbours(values) {
  let steady = values.map((_, i) => i);
  while (steady.length > 2) {
    const far = steady.slice(1).map((to, i) => Math.abs(signed(values[to] - values[steady[i]])) > FARTHEST);
    const strange = steady.map((_, i) => i > 0 && i < far.length && far[i - 1] && far[i]);
    // Of two in a row the second may be far from the first alone.
    const kept = steady.filter((_, i) => !(strange[i] && !strange[i - 1]));
    if (kept.length === steady.length) return steady;
    steady = kept;
  }
  return steady;
}

/**
 * Numbers as they count from the SYN of their direction; 0: there is none. Without a SYN the first packet's sequence
 * number counts as 1. edges: of SACK blocks; -1: none.
 * @param {Headers} headers
 * @param {Directions} directions
 */
export function related(headers, directions) {
  const seq = headers.seq.map((value) => Math.max(value, 0));
  const ack = new Float64Array(seq.length);
  const edges = headers.edges.map((edge) => edge.slice());
  const parts = byDirection(headers, directions);
  const back = directions.back();
  const start = parts.map((part) => (part.length > 0 ? begun(headers, part) : 0));
  parts.forEach((part, number) => {
    if (part.length === 0) return;
    const syn = part.findIndex((i) => headers.flags[i] & SYN);
    const counted = unwrapped(
      part.map((i) => headers.seq[i]),
      start[number],
    );
    const shift = counted[Math.max(syn, 0)] - (syn < 0 ? 1 : 0);
    part.forEach((i, place) => {
      seq[i] = counted[place] - shift;
    });
    const mine = part.filter((i) => headers.flags[i] & ACK);
    const raw = mine.map((i) => headers.ack[i]);
    const from = back[number] >= 0 && parts[back[number]].length > 0 ? start[back[number]] : raw[0] - 1;
    unwrapped(raw, from).forEach((value, place) => {
      ack[mine[place]] = value;
    });
  });
  for (const edge of edges) {
    edge.forEach((value, i) => {
      if (value >= 0) edge[i] = ack[i] + signed(value - headers.ack[i]);
    });
  }
  return { seq, ack, left: pairs(edges, 0), right: pairs(edges, 1) };
}

/**
 * The TCP packets of each direction, in the order of time.
 * @param {Headers} headers
 * @param {Directions} directions
 * @returns {number[][]}
 */
function byDirection(headers, directions) {
  /** @type {number[][]} */
  const parts = directions.list.map(() => []);
  directions.number.forEach((number, i) => {
    if (headers.seq[i] >= 0) parts[number].push(i);
  });
  return parts;
}

/**
 * The sequence number that counts as 0.
 * @param {Headers} headers
 * @param {readonly number[]} part
 */
function begun(headers, part) {
  const syn = part.find((i) => headers.flags[i] & SYN);
  return syn === undefined ? headers.seq[part[0]] - 1 : headers.seq[syn];
}

/**
 * @param {readonly Float64Array[]} edges
 * @param {0 | 1} side
 */
function pairs(edges, side) {
  return Array.from({ length: SACK_BLOCKS }, (_, block) => edges[2 * block + side]);
}

/**
 * Windows scaled by the option of the direction's SYN, if the other SYN has one too (RFC 7323).
 * @param {Headers} headers
 * @param {Directions} directions
 */
export function windows(headers, directions) {
  const scale = directions.list.map(() => -1);
  const seen = new Set();
  headers.flags.forEach((flags, i) => {
    const number = directions.number[i];
    if (flags < 0 || !(flags & SYN) || seen.has(number)) return;
    seen.add(number);
    scale[number] = headers.scale[i];
  });
  const back = directions.back();
  const shift = scale.map((mine, number) => {
    const both = mine >= 0 && back[number] >= 0 && scale[back[number]] >= 0;
    return both ? Math.min(mine, LARGEST_SCALE) : 0;
  });
  return headers.window.map((window, i) => {
    const syn = headers.flags[i] >= 0 && headers.flags[i] & SYN;
    return Math.max(window, 0) << (syn ? 0 : shift[directions.number[i]]);
  });
}
