// @ts-check
/* tab.mjs WASM STATE PROGRAM RUNS: carries out a lab program so many times in one process of node. */

import fs from "node:fs";
import zlib from "node:zlib";

import { Machine } from "../labkit/execute/tab/machine/machine.mjs";

const [wasmPath, statePath, programPath, runs] = process.argv.slice(2);
const wasm = new WebAssembly.Module(fs.readFileSync(wasmPath));
const state = new Uint8Array(zlib.gunzipSync(fs.readFileSync(statePath)));
const machine = await Machine.open({ wasm, state });
const program = new Uint8Array(fs.readFileSync(programPath));
for (let i = 0; i < Number(runs); i++) await machine.run(program);
