// @ts-check
/* Lab programs with what their bytes mean, out of a widget's pack: each is written by what is different in it from an
 * earlier one (book/extensions/live/packing.py). */

import { fromHex } from "./bytes.mjs";

/** @typedef {import("./plan.mjs").Json} Json */
/** @typedef {import("./plan.mjs").Manifest} Manifest */
/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {[(string | number)[], Json?]} Change a value to set at a path; without one, what is to be deleted */
/**
 * @typedef {object} Written
 * @property {number} memory_mb
 * @property {number | null} until_s
 * @property {string} [program]
 * @property {number} [like]
 * @property {[number, string][]} [bytes]
 * @property {Manifest} [manifest]
 * @property {number} [of]
 * @property {Change[]} [changes]
 */

export class Plans {
  /** @param {Written[]} written */
  constructor(written) {
    this.written = written;
  }

  /**
   * A plan of one's own: nobody else has its bytes or its manifest.
   * @param {number} number
   * @returns {Plan}
   */
  plan(number) {
    return {
      program: this.program(number),
      manifest: this.manifest(number),
      memory_mb: this.written[number].memory_mb,
      until_s: this.written[number].until_s,
    };
  }

  /**
   * @param {number} number
   * @returns {Uint8Array<ArrayBuffer>}
   */
  program(number) {
    const { program, like, bytes } = this.written[number];
    if (program !== undefined) return fromHex(program);
    const made = this.program(/** @type {number} */ (like));
    for (const [at, digits] of bytes ?? []) made.set(fromHex(digits), at);
    return made;
  }

  /**
   * @param {number} number
   * @returns {Manifest}
   */
  manifest(number) {
    const { manifest, of, changes } = this.written[number];
    if (manifest) return structuredClone(manifest);
    return changed(this.manifest(/** @type {number} */ (of)), changes ?? []);
  }
}

/**
 * JSON after changes, in it.
 * @template {Json} T
 * @param {T} value
 * @param {Change[]} changes
 * @returns {T}
 */
export function changed(value, changes) {
  const root = { value };
  for (const [path, ...found] of changes) {
    const keys = ["value", ...path];
    const last = /** @type {string | number} */ (keys.pop());
    /** @type {Json} */
    let place = root;
    for (const key of keys) place = place[key];
    if (found.length) place[last] = structuredClone(found[0]);
    else delete place[last];
  }
  return root.value;
}

/**
 * @param {Json} value
 * @param {(string | number)[]} path to a leaf of it
 * @param {Json} leaf
 */
export function put(value, path, leaf) {
  let place = value;
  for (const key of path.slice(0, -1)) place = place[key];
  place[path[path.length - 1]] = leaf;
}
