// @ts-check
/* The seed of a program: hashes of texts with it, in their places (book/extensions/live/seeds.py). */

import { sha256 } from "../lab/sha256.mjs";
import { fromHex } from "./bytes.mjs";
import { put } from "./plans.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {{at?: number, width?: number, path?: (string | number)[], text?: string | null, plus?: number}} SeedSlot */

/**
 * Gives a plan another seed.
 * @param {Plan} plan
 * @param {SeedSlot[]} slots
 * @param {number} seed
 */
export async function reseed(plan, slots, seed) {
  for (const { at = 0, width = 0, path, text = null, plus } of slots) {
    if (path && plus !== undefined) {
      put(plan, path, seed + plus);
      continue;
    }
    const hash = await hashed(text === null ? `labkit ${seed}` : `${seed}${text}`);
    if (path) put(plan, path, Number(new DataView(hash.buffer).getBigUint64(0, true)));
    else plan.program.set(text === null ? hash : hash.subarray(0, width), at);
  }
}

/** @param {string} text */
const hashed = async (text) => fromHex(await sha256(new TextEncoder().encode(text)));
