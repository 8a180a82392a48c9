// @ts-check
/* Carries out lab programs with the tab's machine in node, and says what came out: {name: SHA-256 of raw} as JSON.
 *
 * sameness.mjs WASM STATE KERNEL AGENT PROGRAM: booted anew, restored, once more, after another program, in pieces */

import fs from "node:fs";
import zlib from "node:zlib";

import { Machine } from "../../labkit/execute/tab/machine/machine.mjs";
import { digest } from "../../labkit/execute/tab/machine/state.mjs";

const [wasmPath, statePath, kernelPath, agentPath, programPath, otherPath] = process.argv.slice(2);
const bytes = (/** @type {string} */ path) => new Uint8Array(fs.readFileSync(path));
const wasm = new WebAssembly.Module(bytes(wasmPath));
const state = new Uint8Array(zlib.gunzipSync(bytes(statePath)));
const program = bytes(programPath);

/** @type {Record<string, string>} */
const found = {};
const booted = await Machine.boot({ wasm, kernel: bytes(kernelPath), agent: bytes(agentPath) });
found["state"] = await digest(state);
found["state, booted"] = await digest(booted.state);
found["booted"] = await digest((await booted.machine.run(program)).raw);

const machine = await Machine.open({ wasm, state });
found["restored"] = await digest((await machine.run(program)).raw);
found["once more"] = await digest((await machine.run(program)).raw);
found["another"] = await digest((await machine.run(bytes(otherPath))).raw);
found["after another"] = await digest((await machine.run(program)).raw);

/** @type {Uint8Array[]} */
const pieces = [];
await machine.run(program, { onOutput: (piece) => void pieces.push(piece) });
found["in pieces"] = await digest(Buffer.concat(pieces));

const stop = new AbortController();
const stopped = await machine.run(program, { signal: stop.signal, onTime: () => stop.abort() });
found["reason of one that was stopped"] = stopped.reason;
found["after one that was stopped"] = await digest((await machine.run(program)).raw);
console.log(JSON.stringify(found));
