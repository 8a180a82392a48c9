// @ts-check
/* The first page's experiment, run in this page: that of a chapter's explorer. */

import { openLab } from "../lab/lab.mjs";
import { sha256 } from "../lab/sha256.mjs";
import { widgetOf } from "../programs/programs.mjs";
import { recipeOf } from "../widgets/recipes.mjs";
import { measured, prepared } from "../widgets/runs.mjs";

const [CHAPTER, WIDGET] = ["01-a-network-in-a-notebook", "window"];

/** @typedef {{goodput: string, sha256: string, wall_s: number}} Made sha256: of what the kernel gave */
/**
 * @typedef {{kernel: string, run: (values: Record<string, string>,
 *   how: {signal: AbortSignal, progress: import("../widgets/progress.mjs").Progress}) => Promise<Made>}} Live
 */

/**
 * @param {(got: number, of: number) => void} onFetch
 * @returns {Promise<Live>}
 */
export async function live(onFetch) {
  const [lab, widget] = await Promise.all([openLab({ onFetch }), widgetOf(CHAPTER, WIDGET)]);
  if (!widget) throw new Error("the book has no program for it");
  const recipe = await recipeOf(widget.recipe, "01", WIDGET);
  return {
    kernel: lab.kernel,
    async run(values, { signal, progress }) {
      const [planned] = await prepared(widget, values, undefined, progress);
      const { result, raw, wall_s } = await measured(lab, planned, progress, signal);
      const bytes = /** @type {Uint8Array<ArrayBuffer>} */ (raw);
      return { goodput: recipe.summary(result).Goodput, sha256: await sha256(bytes), wall_s };
    },
  };
}
