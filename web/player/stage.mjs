// Where everything stands: hosts, links, queues and ports, from the network that ran.

import { bothWays } from "../charts/link_text.mjs";
import { positions } from "../charts/placement.mjs";
import { fixed } from "../charts/words.mjs";

/** @typedef {import("./journeys.mjs").Journeys} Journeys */
/** @typedef {import("../charts/link_text.mjs").Direction} Direction */
/** @typedef {import("../charts/link_text.mjs").Link} Link */
/** @typedef {Map<string, [number, number]>} Places */

const LONG = 2.4; // a link that takes time is drawn so much longer than one that does not
const DIGITS = 6;

/**
 * hosts: [{name, x, y}], x and y without a unit, y downwards. links: [{a, b, text}]. queues: [{from, to, kind, limit,
 * bytes}] (limit in packets, null: unknown); ports: [{at, peer, ring}]. Hosts by number.
 * @param {Journeys} found
 * @param {number} beginS
 */
export function stage(found, beginS) {
  const { experiment, layout } = found.accounts.run;
  const names = Object.keys(layout.hosts);
  const written = /** @type {readonly Link[]} */ (experiment.topology.links);
  const number = new Map(names.map((name, n) => [name, n]));
  const places = stretched(names, written);
  /** @param {string} host @param {string} peer */
  const way = (host, peer) => /** @type {Direction} */ (found.accounts.causes.direction(host, peer, beginS));
  const [links, queues, ports] = [[], [], []].map((list) => /** @type {object[]} */ (list));
  for (const link of written) {
    const [forward, backward] = [way(link.a, link.b), way(link.b, link.a)];
    const text = said(link, bothWays({ ...link, forward, backward }));
    links.push({ a: number.get(link.a), b: number.get(link.b), text });
    for (const [a, b, direction, port] of /** @type {const} */ ([
      [link.a, link.b, forward, link.nic_a],
      [link.b, link.a, backward, link.nic_b],
    ])) {
      const { queue } = direction;
      if (queue !== null) {
        const held = { kind: queue.kind, limit: queue.packets, bytes: queue.bytes };
        queues.push({ from: number.get(a), to: number.get(b), ...held });
      }
      if (port) ports.push({ at: number.get(a), peer: number.get(b), ring: port.rx_ring });
    }
  }
  const hosts = names.map((name) => {
    const [x, y] = /** @type {[number, number]} */ (places.get(name));
    return { name, x: Number(fixed(x, 3)), y: Number(fixed(y, 3)) };
  });
  return { hosts, links, queues, ports };
}

/**
 * What is the same both ways in one line, what is not in one for each.
 * @param {Link} link
 * @param {readonly [string[], string[]]} ways
 */
function said({ a, b }, [there, back]) {
  const both = there.filter((part) => back.includes(part));
  const lines = both.length > 0 ? [both.join(" · ")] : [];
  for (const [from, to, own] of /** @type {const} */ ([
    [a, b, there],
    [b, a, back],
  ])) {
    const rest = own.filter((part) => !both.includes(part));
    if (rest.length > 0) lines.push(`${from} → ${to}: ${rest.join(" · ")}`);
  }
  return lines;
}

/** @param {number} x */
function near(x) {
  return Number(fixed(x, DIGITS));
}

/**
 * Places of hosts; in a chain of columns a link that takes time gets more room than one that does not.
 * @param {readonly string[]} names
 * @param {readonly Link[]} links
 * @returns {Places}
 */
function stretched(names, links) {
  /** @type {Places} */
  const places = new Map();
  for (const [name, [x, y]] of positions(names, links)) places.set(name, [x, -y]);
  /** @param {string} name */
  const column = (name) => near(/** @type {[number, number]} */ (places.get(name))[0]);
  const columns = [...new Set(names.map(column))].sort((a, b) => a - b);
  const wide = columns.slice(1).map(() => false); // each stretch between two columns
  for (const { a, b, forward, backward } of links) {
    const [left, right] = [column(a), column(b)].map((x) => columns.indexOf(x)).sort((x, y) => x - y);
    if (right === left + 1 && Math.max(forward.delay, backward.delay) > 0) wide[left] = true;
  }
  if (wide.every((long) => long) || !wide.some((long) => long)) return places;
  const moved = new Map([[columns[0], columns[0]]]);
  let at = columns[0];
  wide.forEach((long, i) => {
    at += (columns[i + 1] - columns[i]) * (long ? LONG : 1);
    moved.set(columns[i + 1], at);
  });
  return new Map([...places].map(([name, [, y]]) => [name, [moved.get(column(name)) ?? 0, y]]));
}
