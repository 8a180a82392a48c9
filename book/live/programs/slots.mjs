// @ts-check
/* Programs with slots, filled in: a knob's numbers and the seed (book/extensions/live/slots.py, seeds.py). */

import { computed } from "../lab/sha256.mjs";
import { fromHex } from "./bytes.mjs";
import { exact, nearest, value } from "./rules.mjs";

/** @typedef {import("./knobs.mjs").Chosen} Chosen */
/** @typedef {import("./knobs.mjs").Knob} Knob */
/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("./plan.mjs").Json} Json */
/** @typedef {import("./rules.mjs").Rule} Rule */
/** @typedef {(string | number)[]} Path */
/**
 * over: what a leaf is divided by; without it, it is not rounded.
 * @typedef {{rule: Rule, at?: number, width?: number, big?: boolean, path?: Path, over?: number}} Field
 */
/** @typedef {{at?: number, width?: number, path?: Path, text?: string | null, plus?: number}} SeedSlot */
/**
 * at: of each knob the index at which it is compiled in, null for slots; zero: knobs whose slots take a zero, too.
 * @typedef {{at: (number | null)[], plan: number, zero: string[], fields: Record<string, Field[]>}} Form
 */
/** @typedef {{forms: Form[], seeds: SeedSlot[][], seeded: (number | null)[]}} Slots */

/**
 * The form that has room for what was chosen, and the numbers to fill in; null if there is none.
 * @param {Form[]} forms
 * @param {Knob[]} knobs
 * @param {Chosen[]} chosen of each knob
 * @returns {{form: Form, numbers: Record<string, number>} | null}
 */
export function formFor(forms, knobs, chosen) {
  for (const form of forms) {
    /** @type {Record<string, number>} */
    const numbers = {};
    const fits = form.at.every((index, i) => {
      const { name, typed } = knobs[i];
      if (index !== null) return chosen[i].index === index;
      const number = chosen[i].number ?? typed?.numbers[chosen[i].index ?? 0];
      if (number === undefined || (number === 0 && !form.zero.includes(name))) return false;
      numbers[name] = number;
      return true;
    });
    if (fits) return { form, numbers };
  }
  return null;
}

/**
 * Fills numbers into a plan.
 * @param {Plan} plan
 * @param {Form} form
 * @param {Record<string, number>} numbers
 */
export function fill(plan, form, numbers) {
  for (const [name, number] of Object.entries(numbers)) {
    const x = exact(number);
    for (const { rule, at = 0, width = 0, big = false, path, over } of form.fields[name]) {
      if (!path) write(plan.program, at, width, value(rule, x), big);
      else if (over === undefined) put(plan, path, nearest(rule, x));
      else put(plan, path, Number(value(rule, x)) / over);
    }
  }
}

/**
 * Gives a plan another seed.
 * @param {Plan} plan
 * @param {SeedSlot[]} slots
 * @param {number} seed
 */
export function reseed(plan, slots, seed) {
  for (const { at = 0, width = 0, path, text = null, plus } of slots) {
    if (path) put(plan, path, plus !== undefined ? seed + plus : Number(read(hashed(`${seed}${text}`))));
    else if (text === null) plan.program.set(hashed(`labkit ${seed}`), at);
    else write(plan.program, at, width, BigInt.asUintN(8 * width, read(hashed(`${seed}${text}`))), false);
  }
}

/** @param {string} text */
function hashed(text) {
  return fromHex(computed(new TextEncoder().encode(text)));
}

/** @param {Uint8Array<ArrayBuffer>} hash */
function read(hash) {
  return new DataView(hash.buffer).getBigUint64(0, true);
}

/**
 * @param {Uint8Array} program
 * @param {number} at
 * @param {number} width
 * @param {bigint} number
 * @param {boolean} big the first byte is the highest
 */
function write(program, at, width, number, big) {
  for (let i = 0; i < width; i++) {
    const place = at + (big ? width - 1 - i : i);
    program[place] = Number(BigInt.asUintN(8, number >> BigInt(8 * i)));
  }
}

/**
 * @param {Plan} plan
 * @param {Path} path
 * @param {number} leaf
 */
function put(plan, path, leaf) {
  /** @type {Json} */
  let place = plan;
  for (const key of path.slice(0, -1)) place = place[key];
  place[path[path.length - 1]] = leaf;
}
