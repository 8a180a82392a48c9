// What of an experiment a film asks for beside what decoding does: types, and nothing that runs.

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
 * @typedef {import("../../decode/js/types.mjs").DirectionSpec & {delay: number, jitter: number, loss: Loss | null,
 *   corrupt: number, duplicate: number, reorder: number}} Direction
 */
/**
 * @typedef {{a: string, b: string, forward: Direction, backward: Direction, nic_a?: Nic | null,
 *   nic_b?: Nic | null}} Link
 */
/**
 * Something that a page can show: a table of a figure, each column by its name and title.
 * @typedef {{columns: [string, string][], rows: (string | number)[][]}} Shown
 */

export {};
