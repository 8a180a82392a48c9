// @ts-check
/* A chapter's file with the lab programs of its widgets (book/extensions/live/bundles.py): fetched once, when a reader
 * first asks for one. */

import { inflated } from "./bytes.mjs";

/** @typedef {import("./knobs.mjs").Knob} Knob */
/** @typedef {import("./plan.mjs").Json} Json */
/**
 * What is measured of a result, and how it is drawn: by labkit's figures, by the chapter's own, or not at all.
 * @typedef {{words: import("../measures/word.mjs").Word[],
 *   figures: {name: string, options: Json}[] | "own" | null}} Recipe
 */
/**
 * @typedef {object} Stored a widget as the file has it
 * @property {"explore" | "predict"} kind
 * @property {string | null} refused
 * @property {Record<string, string>} own congestion controls that the chapter defines: its kernel has them
 * @property {Knob[]} knobs
 * @property {Recipe} recipe
 * @property {Json | null} chart
 * @property {string | null} packed
 */
/**
 * @typedef {object} Packed
 * @property {import("./plans.mjs").Written[]} plans
 * @property {Record<string, number[] | {refused: string}>} points
 * @property {{source: string, needs: Json} | null} python
 * @property {import("./tables.mjs").Table[]} tables
 * @property {import("./tables.mjs").Tables["columns"]} columns
 * @property {import("./seeds.mjs").SeedSlot[][]} seeds
 * @property {(number | null)[]} seeded
 */

const FORMAT = 2;

/** Where the site's own lab lies: the folder of which this file is a part. */
const BASE = new URL("../../", import.meta.url);

/** @type {Map<string, Promise<Record<string, Stored>>>} */
const chapters = new Map();

/**
 * The widgets of a chapter, by name.
 * @param {string} chapter its stem
 * @returns {Promise<Record<string, Stored>>}
 */
export function widgetsOf(chapter) {
  let found = chapters.get(chapter);
  if (!found) {
    found = fetched(chapter);
    chapters.set(chapter, found);
    found.catch(() => chapters.delete(chapter)); // the next one may try again
  }
  return found;
}

/** @param {string} chapter */
async function fetched(chapter) {
  const address = new URL(`chapters/${encodeURIComponent(chapter)}.json`, BASE);
  const answer = await fetch(address, { cache: "no-cache" });
  if (!answer.ok)
    throw new Error(`The programs of this chapter are not to be had: ${answer.status} for ${address}`);
  const file = await answer.json();
  if (file.format !== FORMAT)
    throw new Error(`${address} has format ${file.format}; this page reads ${FORMAT}: load it anew`);
  return file.widgets;
}

/**
 * What is packed in a widget.
 * @param {string} text base64 of deflated JSON
 * @returns {Promise<Packed>}
 */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await inflated(bytes)));
}
