// Which shape of the menu a network is.

import { SHAPES } from "./shapes.mjs";

/** @typedef {import("./shapes.mjs").Shape} Shape */

/**
 * The shape of the menu that has just these hosts and links, in this order, and its numbers; else null.
 * @param {readonly string[]} hosts
 * @param {readonly {a: string, b: string}[]} links
 * @returns {{kind: string, numbers: number[]} | null}
 */
export function shapeOf(hosts, links) {
  for (const shape of SHAPES) {
    for (const numbers of tries(shape)) {
      const made = shape.make(...numbers);
      if (
        made.hosts.length === hosts.length &&
        made.joints.length === links.length &&
        made.hosts.every((name, i) => name === hosts[i]) &&
        made.joints.every(({ a, b }, i) => a === links[i].a && b === links[i].b)
      ) {
        return { kind: shape.kind, numbers };
      }
    }
  }
  return null;
}

/**
 * All numbers that a shape can have.
 * @param {Shape} shape
 * @returns {number[][]}
 */
export function tries({ parameters }) {
  return parameters.reduce(
    (sofar, { low, high }) =>
      sofar.flatMap((numbers) => Array.from({ length: high - low + 1 }, (_, i) => [...numbers, low + i])),
    /** @type {number[][]} */ ([[]]),
  );
}
