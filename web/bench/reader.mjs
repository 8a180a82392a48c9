// Reads a JSON that anybody may have written, and keeps the paths of what is not as it should be or has no field.

import { textOf } from "./units.mjs";

/** @typedef {import("./fields.mjs").Field} Field */
/** @typedef {import("./form.mjs").Texts} Texts */
/** @typedef {Record<string, unknown>} Given */

/** Reads one experiment, and keeps the paths of what the form cannot hold. */
export class Reader {
  constructor() {
    /** @type {string[]} */
    this.beyond = [];
  }

  /**
   * @param {unknown} value
   * @param {string} path
   * @returns {Given}
   */
  object(value, path) {
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      return /** @type {Given} */ (value);
    this.beyond.push(path);
    return {};
  }

  /**
   * @param {unknown} value
   * @param {string} path
   * @returns {unknown[]}
   */
  list(value, path) {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.beyond.push(path);
    return [];
  }

  /**
   * @param {unknown} value
   * @param {string} path
   */
  name(value, path) {
    if (typeof value === "string") return value;
    this.beyond.push(path);
    return "";
  }

  /**
   * Everything but these says nothing, or is beyond the form.
   * @param {Given} object
   * @param {readonly string[]} known
   * @param {string} path
   */
  others(object, known, path) {
    for (const [name, value] of Object.entries(object)) {
      if (!known.includes(name) && !isNothing(value)) this.beyond.push(path ? `${path}.${name}` : name);
    }
  }

  /**
   * @param {Given} object
   * @param {readonly Field[]} fields
   * @param {string} path
   * @returns {Texts}
   */
  texts(object, fields, path) {
    /** @type {Texts} */
    const made = {};
    for (const { name, quantity, unless, choices } of fields) {
      const value = Object.hasOwn(object, name) ? object[name] : undefined;
      if (value === undefined || value === null || value === unless) continue;
      const plain = typeof value === "string" || typeof value === "number";
      if (quantity === "flag" && typeof value === "boolean") made[name] = value ? "yes" : "";
      else if (quantity === "wholes" ? !isWholes(value) : !plain) this.beyond.push(`${path}.${name}`);
      else if (choices && !choices.some(([one]) => one === value)) this.beyond.push(`${path}.${name}`);
      else made[name] = textOf(value, quantity);
    }
    return made;
  }
}

/** @param {unknown} value */
function isNothing(value) {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** @param {unknown} value */
function isWholes(value) {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger);
}
