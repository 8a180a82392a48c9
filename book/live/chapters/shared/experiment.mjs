// What a run's experiment says of its links.

/**
 * rate: bit/s; delay: s; loss: {kind: "random", p} or another model, null for none.
 * @typedef {{rate: number, delay: number, loss: {kind: string, p?: number} | null}} Direction
 */
/** @typedef {{a: string, b: string, forward: Direction, backward: Direction}} Link */

/**
 * The links in the order of the topology.
 * @param {import("./types.mjs").Result} result
 * @returns {readonly Link[]}
 */
export function linksOf(result) {
  return /** @type {any} */ (result.recorded.experiment.topology.links);
}
