// @ts-check
/* The notebook's kernel as an explorer's laboratory. */

import { chosen } from "../programs/knobs.mjs";
import { unpacked } from "./points.mjs";

/**
 * @param {import("./kernel.mjs").Kernel} kernel
 * @param {import("./kernel.mjs").Json} asked
 * @param {number} latest the number of the run that is there already; -1: none
 * @returns {import("./explorer.mjs").Laboratory}
 */
export function kernelExplorer(kernel, { knobs, at_once }, latest) {
  let of = latest;
  const file = async (/** @type {import("./kernel.mjs").Json} */ what) => {
    const { buffers } = await kernel.file({ ...what, of });
    return buffers.map((one) => new Uint8Array(one.buffer, one.byteOffset, one.byteLength).slice());
  };
  return {
    knobs,
    seed: "its own",
    atOnce: at_once,
    note: "",
    where: "",
    async run({ values, seed, words }, how) {
      const where = knobs.map((/** @type {any} */ knob) => {
        const { index, number } = chosen(knob, values[knob.name]);
        return [knob.name, index ?? String(number)];
      });
      const found = await kernel.run({ values: Object.fromEntries(where), seed: seed ?? null, words }, how);
      if (found === null) return null;
      of = found.run;
      return unpacked(found.latest.point, found.latest.point.chart);
    },
    files: {
      tables: async () => (await kernel.file({ kind: "tables", of })).content.tables,
      csv: (table) => file({ kind: "csv", table }),
      pcapng: (say) => {
        say("If nothing was captured, the experiment runs again, and is captured …");
        return file({ kind: "pcapng" });
      },
      result: () => file({ kind: "zip" }),
    },
  };
}
