// @ts-check
/* The notebook's kernel as a prediction's laboratory. */

/**
 * @param {import("./kernel.mjs").Kernel} kernel
 * @param {import("./kernel.mjs").Json} asked
 * @returns {import("./measuring.mjs").Laboratory}
 */
export function kernelPrediction(kernel, { repeats }) {
  const found = (/** @type {{latest: import("./kernel.mjs").Json} | null} */ answer) =>
    answer && /** @type {import("./measuring.mjs").Found} */ (answer.latest);
  return {
    note: repeats ? "" : "Seeds: 4, or 1-5.",
    own: "",
    seed: repeats ? null : "its own",
    measure: async (seed, how) => found(await kernel.run({ seed: seed ?? null }, how)),
    repeat: repeats ? async (_, how) => found(await kernel.run({ repeat: true }, how)) : null,
  };
}
