#!/usr/bin/env node
// @ts-check
/* The machine as a process, for labkit's place "tab" and for tests. In the folder it is started in:
 *
 *   node.mjs run WASM STATE      carries out `program`, appends to `raw`; for each further program it waits at the
 *                                gate, as any agent: descriptors 10 and 11. `clock` grows as the guest's does
 *   node.mjs boot WASM KERNEL AGENT STATE    starts a kernel and keeps what it is at its gate
 *
 * STATE is compressed by gzip. */

import fs from "node:fs";
import zlib from "node:zlib";

import { Machine } from "./machine.mjs";

const FROM_OWNER = 10;
const TO_OWNER = 11;
const STRAY_BYTES = 16 << 10;

/** @param {string} path */
const bytesOf = (path) => new Uint8Array(fs.readFileSync(path));

/** @param {string} path */
const moduleOf = (path) => new WebAssembly.Module(bytesOf(path));

/**
 * @param {string} wasm
 * @param {string} kernel
 * @param {string} agent
 * @param {string} path
 */
async function boot(wasm, kernel, agent, path) {
  const { state } = await Machine.boot({
    wasm: moduleOf(wasm),
    kernel: bytesOf(kernel),
    agent: bytesOf(agent),
  });
  fs.writeFileSync(path, zlib.gzipSync(state, { level: 9 }));
  return 0;
}

/** Until the owner wants another program run; false: there is none. */
function ownerWantsMore() {
  const answer = Buffer.alloc(1);
  try {
    fs.writeSync(TO_OWNER, "w");
    return fs.readSync(FROM_OWNER, answer, 0, 1, null) === 1 && answer.toString() === "g";
  } catch {
    return false; // the owner has gone
  }
}

/**
 * @param {string} wasm
 * @param {string} path
 */
async function run(wasm, path) {
  const state = new Uint8Array(zlib.gunzipSync(fs.readFileSync(path)));
  const machine = await Machine.open({ wasm: moduleOf(wasm), state });
  const raw = fs.openSync("raw", "a");
  const watched = fs.existsSync("clock");
  const asked = new AbortController();
  const watch = {
    signal: asked.signal,
    onOutput: (/** @type {Uint8Array} */ bytes) => void fs.writeSync(raw, bytes),
    onTime: (/** @type {number} */ now) => {
      if (watched) fs.truncateSync("clock", Math.max(0, Math.round(now * 1000)));
      if (fs.existsSync("stop")) asked.abort();
    },
  };
  let { reason, text } = await machine.run(bytesOf("program"), watch);
  while (reason === "gate" && ownerWantsMore()) {
    ({ reason, text } = await machine.goOn(bytesOf("program"), watch));
  }
  fs.fsyncSync(raw);
  process.stderr.write(text.slice(-STRAY_BYTES));
  if (reason === "stuck") process.stderr.write("the machine stands still: all sleep, and no timer is set\n");
  return reason === "end" || reason === "gate" ? 0 : 1;
}

const [command, ...rest] = process.argv.slice(2);
const commands = { boot, run };
if (command !== "boot" && command !== "run") {
  process.stderr.write("node.mjs run WASM STATE | boot WASM KERNEL AGENT STATE\n");
  process.exit(2);
}
// @ts-expect-error: each has as many as it wants
process.exitCode = await commands[command](...rest);
