// What a chapter's figures are given, and what they give back: types, and nothing that runs.

/** @typedef {import("../../results/result.mjs").Result} Result */
/** @typedef {import("../../widgets/recipes.mjs").Drawn} Drawn */

export {};
