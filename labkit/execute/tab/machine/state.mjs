// @ts-check
/* A machine that waits at its gate, as bytes: processor, and the pages of memory that are not all zeros.
 *
 *   "LABTAB1\0" | memory, place of struct labtab, pages (4 bytes each), 4 zeros | processor | page numbers | pages
 *
 * All numbers are little-endian, 4 bytes. Two machines that were started alike give the same bytes. */

import { PROCESSOR } from "./v86.mjs";

const MAGIC = "LABTAB1\0";
const HEAD = MAGIC.length + 16;
const PROCESSOR_BYTES = PROCESSOR.to - PROCESSOR.from;
const PAGE = 4096;
const WORDS = PAGE / 4;

/**
 * @typedef {object} State
 * @property {number} memory bytes
 * @property {number} struct where the kernel's struct labtab is
 * @property {Uint8Array} processor
 * @property {Int32Array} pageAt for each page of memory its place among `pages` (in words), or -1: it is all zeros
 * @property {Uint32Array} pages
 */

/**
 * @param {Uint32Array} words
 * @param {number} page
 */
function isZero(words, page) {
  for (let i = page * WORDS, end = i + WORDS; i < end; i++) if (words[i] !== 0) return false;
  return true;
}

/**
 * @param {import("./v86.mjs").Emulator} emulator
 * @param {number} struct
 */
export function save(emulator, struct) {
  const { ram } = emulator;
  const words = new Uint32Array(ram.buffer, ram.byteOffset, ram.length / 4);
  const used = [];
  for (let page = 0; page < ram.length / PAGE; page++) if (!isZero(words, page)) used.push(page);
  const pagesAt = HEAD + PROCESSOR_BYTES + 4 * used.length;
  const made = new Uint8Array(pagesAt + PAGE * used.length);
  made.set(new TextEncoder().encode(MAGIC));
  made.set(new Uint8Array(Uint32Array.of(ram.length, struct, used.length, 0).buffer), MAGIC.length);
  made.set(emulator.processor, HEAD);
  made.set(new Uint8Array(Uint32Array.from(used).buffer), HEAD + PROCESSOR_BYTES);
  for (const [i, page] of used.entries())
    made.set(ram.subarray(page * PAGE, (page + 1) * PAGE), pagesAt + i * PAGE);
  return made;
}

/**
 * @param {Uint8Array} bytes as `save` made them
 * @returns {State}
 * @throws {Error} if they are not a state, or not a whole one
 */
export function read(bytes) {
  const text = new TextDecoder().decode(bytes.subarray(0, MAGIC.length));
  if (text !== MAGIC) throw new Error("not a saved machine: it begins otherwise");
  const whole = bytes.slice(); // aligned
  const [memory, struct, count] = new Uint32Array(whole.buffer, MAGIC.length, 3);
  const pagesAt = HEAD + PROCESSOR_BYTES + 4 * count;
  if (whole.length !== pagesAt + PAGE * count)
    throw new Error(`a damaged saved machine: ${whole.length} bytes, not ${pagesAt + PAGE * count}`);
  const numbers = new Uint32Array(whole.buffer, HEAD + PROCESSOR_BYTES, count);
  const pageAt = new Int32Array(memory / PAGE).fill(-1);
  for (const [i, page] of numbers.entries()) pageAt[page] = i * WORDS;
  return {
    memory,
    struct,
    processor: whole.subarray(HEAD, HEAD + PROCESSOR_BYTES),
    pageAt,
    pages: new Uint32Array(whole.buffer, pagesAt, (PAGE * count) / 4),
  };
}

/**
 * Make the machine what it was. Only pages that differ are written, so that compiled code stays. Returns how many.
 * @param {import("./v86.mjs").Emulator} emulator
 * @param {State} state
 */
export function restore(emulator, state) {
  const { ram } = emulator;
  const words = new Uint32Array(ram.buffer, ram.byteOffset, ram.length / 4);
  let written = 0;
  for (let page = 0; page < state.pageAt.length; page++) {
    const at = state.pageAt[page];
    if (at < 0 ? isZero(words, page) : isSame(words, page, state.pages, at)) continue;
    if (at < 0) words.fill(0, page * WORDS, (page + 1) * WORDS);
    else words.set(state.pages.subarray(at, at + WORDS), page * WORDS);
    emulator.changed(page * PAGE, (page + 1) * PAGE);
    written++;
  }
  emulator.processor = state.processor;
  return written;
}

/**
 * @param {Uint32Array} words
 * @param {number} page
 * @param {Uint32Array} others
 * @param {number} at
 */
function isSame(words, page, others, at) {
  for (let i = page * WORDS, end = i + WORDS; i < end; i++, at++) if (words[i] !== others[at]) return false;
  return true;
}

/**
 * SHA-256, as hexadecimal digits.
 * @param {BufferSource} bytes
 */
export async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
