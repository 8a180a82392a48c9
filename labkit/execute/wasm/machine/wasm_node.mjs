#!/usr/bin/env node
// @ts-check
/* The machine as a process, for labkit's place "wasm". In the folder it is started in:
 *
 *   wasm_node.mjs KERNEL MIB FROM TO
 *
 * carries out `program`, appends to `raw`; for each further program it waits at the gate, as any agent: FROM and TO are its
 * descriptors. `clock` grows as the guest's. */

import fs from "node:fs";

import { run } from "./wasm_machine.mjs";

const program = () => new Uint8Array(fs.readFileSync("program"));

/**
 * @param {number} file
 * @param {Uint8Array} bytes
 */
function append(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
}

/**
 * When the owner wants another one run; null: it has gone.
 * @param {number} from
 * @param {number} to
 */
function nextProgram(from, to) {
  const answer = Buffer.alloc(1);
  try {
    fs.writeSync(to, "w");
    if (fs.readSync(from, answer, 0, 1, null) === 0) return null;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "EPIPE" || error.code === "EBADF"))
      return null;
    throw error;
  }
  return answer.toString() === "g" ? program() : null;
}

/**
 * @param {string} kernel
 * @param {number} mib
 * @param {number} from
 * @param {number} to
 */
async function main(kernel, mib, from, to) {
  const raw = fs.openSync("raw", "a");
  const watched = fs.existsSync("clock");
  const { reason, text } = await run(new WebAssembly.Module(fs.readFileSync(kernel)), mib, program(), {
    onOutput: (bytes) => append(raw, bytes),
    onTime: (ms) => watched && fs.truncateSync("clock", ms),
    askedToStop: () => fs.existsSync("stop"),
    nextProgram: () => nextProgram(from, to),
  });
  fs.fsyncSync(raw);
  process.stderr.write(text);
  if (reason !== "end") process.stderr.write(`the machine does not go on: ${reason}\n`);
  return reason === "end" ? 0 : 1;
}

const [kernel, ...numbers] = process.argv.slice(2);
const [mib, from, to] = numbers.map(Number);
if (!kernel || !mib || from === undefined || to === undefined) {
  process.stderr.write("wasm_node.mjs KERNEL MIB FROM TO\n");
  process.exit(2);
}
process.exitCode = await main(kernel, mib, from, to);
