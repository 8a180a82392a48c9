// @ts-check
/* In which functions a tab's kernel spends its time: where the processor is after each 100,003 instructions.
 *
 * tab_profile.mjs WASM STATE SYSTEM_MAP PROGRAM... prints "samples function", most first. From such a list labtab_hot.h
 * is made: functions seen at least twice over the programs of tests/tab/experiments.py. */

import fs from "node:fs";
import zlib from "node:zlib";

import { Machine } from "../labkit/execute/tab/machine/machine.mjs";

const INSTRUCTION_POINTER = 556; // in the emulator's memory
const KERNEL = 0xc0000000;

const [wasmPath, statePath, mapPath, ...programs] = process.argv.slice(2);
const wasm = new WebAssembly.Module(fs.readFileSync(wasmPath));
const machine = await Machine.open({ wasm, state: new Uint8Array(zlib.gunzipSync(fs.readFileSync(statePath))) });

const functions = fs
  .readFileSync(mapPath, "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "))
  .filter(([, kind]) => /[tTwW]/.test(kind))
  .map(([address, , name]) => ({ from: parseInt(address, 16), name }))
  .sort((one, other) => one.from - other.from);

/** @param {number} address */
function nameOf(address) {
  let low = 0;
  let high = functions.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (functions[middle].from <= address) low = middle;
    else high = middle - 1;
  }
  return address < KERNEL ? "(the agent)" : functions[low].name;
}

/** @type {Map<string, number>} */
const seen = new Map();
const { emulator } = machine;
let looks = 0;
Object.defineProperty(emulator, "looks", {
  get: () => looks,
  set: (number) => {
    looks = number;
    const name = nameOf(new Uint32Array(emulator.wasm.buffer)[INSTRUCTION_POINTER >> 2]);
    seen.set(name, (seen.get(name) ?? 0) + 1);
  },
});
for (const path of programs) await machine.run(new Uint8Array(fs.readFileSync(path)));
for (const [name, samples] of [...seen].sort((one, other) => other[1] - one[1])) console.log(samples, name);
