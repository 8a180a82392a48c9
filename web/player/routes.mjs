// The sightings of packets, and the distinct lists of them: packets by where they were seen.

import { FILM } from "../decode/facts.mjs";
import { inUs } from "./film_columns.mjs";
import { numbers } from "./packing.mjs";

/** @typedef {import("./between.mjs").Instant} Instant */
/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/** @typedef {import("./packing.mjs").Packed} Packed */
/**
 * A sighting. code: device and kind; before: the node that it came from, -1: none; depth: how many are before it;
 * number: of the node.
 * @typedef {{number: number, atUs: number, code: number, before: number, depth: number}} Node
 */
/** @typedef {{nodes: number[][], count: number, steps: Packed[]}} Route */

/**
 * @param {Journeys} found
 * @param {readonly Instant[]} more
 * @param {readonly number[]} which packets, in order
 * @param {ReadonlyMap<number, number>} place interface -> device
 * @returns {{routes: Route[], route: number[], firstUs: number[]}}
 */
export function routes(found, more, which, place) {
  /** @type {Map<string, {nodes: number[][], members: Node[][]}>} */
  const known = new Map();
  const firstUs = [];
  const keys = [];
  for (const nodes of sightings(found, more, which, place)) {
    const rows = new Map(nodes.map((node, k) => [node.number, k]));
    const listed = nodes.map(({ code, before }, k) => {
      const back = before < 0 ? 0 : k - /** @type {number} */ (rows.get(before));
      return [Math.floor(code / FILM.kinds), code % FILM.kinds, back];
    });
    const key = listed.join(" ");
    const route = known.get(key) ?? { nodes: listed, members: [] };
    known.set(key, route);
    route.members.push(nodes);
    firstUs.push(nodes[0].atUs);
    keys.push(key);
  }
  const numbered = new Map([...known.keys()].map((key, n) => [key, n]));
  return {
    routes: [...known.values()].map(({ nodes, members }) => ({
      nodes,
      count: members.length,
      steps: nodes.slice(1).map((_, k) => numbers(members.map((one) => one[k + 1].atUs - one[k].atUs))),
    })),
    route: keys.map((key) => /** @type {number} */ (numbered.get(key))),
    firstUs,
  };
}

/**
 * The nodes of each packet, by time and by how many are before them.
 * @param {Journeys} found
 * @param {readonly Instant[]} more
 * @param {readonly number[]} which
 * @param {ReadonlyMap<number, number>} place
 * @returns {Node[][]}
 */
function sightings({ frames, before, packet, length }, more, which, place) {
  const number = new Int32Array(length).fill(-1);
  which.forEach((one, n) => {
    number[one] = n;
  });
  /** @type {Node[][]} */
  const found = which.map(() => []);
  const last = new Int32Array(frames.length).map((_, i) => i); // the node that later frames come from
  /** @param {number} i @param {number} kind */
  const code = (i, kind) => Number(place.get(frames.interface[i])) * FILM.kinds + kind;
  /** @type {Node[]} */
  const nodes = [];
  const byKind = [...more].sort((a, b) => a.kind - b.kind);
  byKind.forEach(({ frame, kind, atNs }, n) => {
    const node = { number: frames.length + n, atUs: inUs(atNs), code: code(frame, kind), depth: 0 };
    nodes.push({ ...node, before: last[frame] });
    last[frame] = frames.length + n;
  });
  /** @param {number} node */
  const from = (node) => {
    if (node >= frames.length) return nodes[node - frames.length].before;
    return before[node] < 0 ? -1 : last[before[node]];
  };
  /** @param {number} node */
  const depth = (node) => {
    let count = 0;
    for (let at = from(node); at >= 0; at = from(at)) count++;
    return count;
  };
  for (let i = 0; i < frames.length; i++) {
    const mine = number[packet[i]];
    if (mine < 0) continue;
    const kind = frames.outgoing[i] ? 0 : 1;
    const node = { number: i, atUs: inUs(frames.atNs[i]), code: code(i, kind) };
    found[mine].push({ ...node, before: from(i), depth: depth(i) });
  }
  byKind.forEach(({ frame }, n) => {
    const mine = number[packet[frame]];
    if (mine >= 0) found[mine].push({ ...nodes[n], depth: depth(frames.length + n) });
  });
  for (const one of found) one.sort((a, b) => a.atUs - b.atUs || a.depth - b.depth || a.number - b.number);
  return found;
}
