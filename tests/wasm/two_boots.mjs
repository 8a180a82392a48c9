// @ts-check
/* two_boots.mjs MODULE PROGRAM: boots the kernel twice and carries out the program. Prints of each: bytes of its memory when it
 * ended, and their SHA-256. */

import { createHash } from "node:crypto";
import fs from "node:fs";

import { run } from "../../labkit/execute/wasm/machine/wasm_machine.mjs";

const [modulePath, programPath] = process.argv.slice(2);
const module = new WebAssembly.Module(fs.readFileSync(modulePath));
const program = new Uint8Array(fs.readFileSync(programPath));
const around = { onOutput() {}, onTime() {}, askedToStop: () => false, nextProgram: () => null };

/** @type {WebAssembly.Memory[]} */
const memories = [];
WebAssembly.Memory = class extends WebAssembly.Memory {
  /** @param {WebAssembly.MemoryDescriptor} of */
  constructor(of) {
    super(of);
    memories.push(this);
  }
};
const ends = [];
for (let boot = 0; boot < 2; boot++) {
  const { reason } = await run(module, 128, program, around);
  const bytes = new Uint8Array(memories[boot].buffer);
  ends.push({ reason, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
}
process.stdout.write(JSON.stringify(ends));
