// For the tests: calls of functions of web/charts, as JSON.
//
//     node calls.mjs <calls.json >answers.json
//
// calls: [[module, function, arguments], ...]. Of numbers that JSON has not, {"number": "NaN"}.

import { readFileSync, writeSync } from "node:fs";

/** @param {string} _ @param {any} value */
function given(_, value) {
  return value !== null && typeof value === "object" && "number" in value ? Number(value.number) : value;
}

/** @param {string} _ @param {unknown} value */
function told(_, value) {
  return typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value;
}

/** @type {[string, string, unknown[]][]} */
const calls = JSON.parse(readFileSync(0, "utf8"), given);
const modules = new Set(calls.map(([module]) => module));
/** @type {Record<string, Record<string, (...args: unknown[]) => unknown>>} */
const loaded = {};
for (const name of modules) loaded[name] = await import(`../../../web/charts/${name}.mjs`);
const answers = calls.map(([module, name, args]) => loaded[module][name](...args));
const bytes = Buffer.from(JSON.stringify(answers, told));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
