// @ts-check
/* What the kernel gave for a chapter's recorded runs, as digests (scripts/recorded_bits.py). */

import { sha256 } from "../lab/sha256.mjs";

/** Where the site's own lab lies: the folder of which this file is a part. */
const BASE = new URL("../../", import.meta.url);

/**
 * By point: "0,2" of an explorer's knobs, "" of a prediction; a digest of each of its runs.
 * @typedef {Record<string, string[]>} Bits
 */

/**
 * @param {string} chapter its stem
 * @param {string} name of the widget
 * @returns {Promise<Bits>}
 */
export async function bitsOf(chapter, name) {
  const response = await fetch(new URL(`bits/${encodeURIComponent(chapter)}.json`, BASE));
  if (!response.ok) throw new Error(`what was recorded is not there: ${response.status}`);
  return (await response.json())[name] ?? {};
}

/**
 * Whether runs gave just what they gave for the recording.
 * @param {readonly Uint8Array[]} raws
 * @param {readonly string[] | undefined} digests undefined: nothing was recorded
 */
export async function isToTheBit(raws, digests) {
  if (digests?.length !== raws.length) return false;
  const found = await Promise.all(raws.map((raw) => sha256(/** @type {Uint8Array<ArrayBuffer>} */ (raw))));
  return found.every((digest, i) => digest.startsWith(digests[i]));
}

/**
 * A point by its knobs' texts; null: it was not recorded.
 * @param {readonly import("./knobs.mjs").Knob[]} knobs
 * @param {Record<string, string>} values
 */
export function keyOf(knobs, values) {
  const places = knobs.map(({ name, texts }) => texts.indexOf(values[name]));
  return places.includes(-1) ? null : places.join(",");
}
