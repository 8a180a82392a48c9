// @ts-check
/* The notebook's kernel as an explorer's laboratory. */

import { chosen } from "../programs/knobs.mjs";
import { unpacked } from "./points.mjs";

/**
 * @param {import("./kernel.mjs").Kernel} kernel
 * @param {import("./kernel.mjs").Json} asked
 * @returns {import("./explorer.mjs").Laboratory}
 */
export function kernelExplorer(kernel, { knobs, at_once }) {
  const file = async (/** @type {import("./kernel.mjs").Json} */ what) => {
    const { buffers } = await kernel.file(what);
    return buffers.map((one) => new Uint8Array(one.buffer, one.byteOffset, one.byteLength).slice());
  };
  return {
    knobs,
    seed: "its own",
    atOnce: at_once,
    note: "",
    where: "",
    async run({ values, seed }, how) {
      const where = knobs.map((/** @type {any} */ knob) => {
        const { index, number } = chosen(knob, values[knob.name]);
        return [knob.name, index ?? String(number)];
      });
      const latest = await kernel.run({ values: Object.fromEntries(where), seed: seed ?? null }, how);
      return latest && unpacked(latest.point, latest.point.chart);
    },
    files: {
      tables: async () => (await kernel.file({ kind: "tables" })).content.tables,
      csv: (table) => file({ kind: "csv", table }),
      pcapng: () => file({ kind: "pcapng" }),
      result: () => file({ kind: "zip" }),
    },
  };
}
