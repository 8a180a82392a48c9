// What the kernel says of an event in its `format` text: its number, and where each field is.

import { RawFormatError } from "./bytes.mjs";

/**
 * A field of an event. type: as numpy writes it, "text" or "bytes". pointer: the kind of one that points at text;
 * symbols: the kernel's names of its numbers.
 * @typedef {{name: string, at: number, size: number, type: string, pointer?: string,
 *   symbols?: Map<number, string>}} EventField
 */
/**
 * name: GROUP/NAME; size: bytes that an event has at least.
 * @typedef {{name: string, id: number, size: number, fields: EventField[]}} EventFormat
 */

const FIELD = /field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);/g;
const ARRAY = /^(.*?)(\w+)\[[^\]]*\]$/;
const SYMBOLIC = /__print_symbolic\(REC->(\w+),((?:\s*\{[^{}]*\},?)+)\)/g;
const SYMBOL = /\{\s*(\w+),\s*"([^"]*)"\s*\}/g;
const POINTERS = ["__data_loc", "__rel_loc"];
const POINTER_SIZE = 4;

/**
 * @param {string} path "events/GROUP/NAME/format"
 * @param {string} text
 * @param {number} offset of the text in the raw file, for an error
 * @returns {EventFormat}
 * @throws {RawFormatError}
 */
export function eventFormat(path, text, offset) {
  const name = path.split("/").slice(1, -1).join("/");
  const id = text.match(/^ID: (\d+)$/m);
  const fields = [...text.matchAll(FIELD)].map(([, declared, at, size, signed]) =>
    fieldOf(declared, Number(at), Number(size), signed === "1"),
  );
  const twice = new Set(fields.map((field) => field.name)).size < fields.length;
  if (id === null || fields.length === 0 || twice) {
    const what = twice ? "two of its fields have one name" : "it has no ID or no fields";
    throw new RawFormatError(`${path} is no event format (${what})`, offset);
  }
  for (const [, field, pairs] of text.matchAll(SYMBOLIC)) {
    const mine = fields.find((one) => one.name === field);
    const symbols = symbolsOf(pairs);
    if (mine !== undefined && symbols.size > 0) mine.symbols = symbols;
  }
  const size = Math.max(...fields.map((field) => field.at + field.size));
  return { name, id: Number(id[1]), size, fields };
}

/**
 * A field of "__u8 saddr[28]" and the like.
 * @param {string} declared
 * @param {number} at
 * @param {number} size
 * @param {boolean} signed
 * @returns {EventField}
 */
function fieldOf(declared, at, size, signed) {
  const words = declared.trim().split(/\s+/);
  const last = words[words.length - 1];
  const pointer = POINTERS.find((kind) => declared.startsWith(kind));
  if (pointer !== undefined) {
    return { name: last.split("[")[0], at, size: POINTER_SIZE, type: "u4", pointer };
  }
  const array = declared.trim().match(ARRAY);
  if (array !== null) {
    const text = array[1].trim().split(/\s+/).pop() === "char";
    return { name: array[2], at, size, type: text ? "text" : "bytes" };
  }
  const name = last.replace(/^\*+/, "");
  const type = [1, 2, 4, 8].includes(size) ? `${signed ? "i" : "u"}${size}` : "bytes";
  return { name, at, size, type };
}

/** @param {string} pairs */
function symbolsOf(pairs) {
  const found = [...pairs.matchAll(SYMBOL)].filter(([, value]) => /^\d/.test(value));
  return new Map(found.map(([, value, label]) => [Number(value), label]));
}
