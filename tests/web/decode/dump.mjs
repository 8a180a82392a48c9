// For the tests: tables of run folders as JSON, as this decoder reads them.
//
//     node dump.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path, ask: [["table", name] | ["trace", event] | ["packets", host] | ["pcapng"]]}].
// answers: for each of them {error} or {answers}, and of these each {error}, {columns} or {base64}.

import { readFileSync, writeSync } from "node:fs";
import { valueAt } from "../../../web/decode/table.mjs";
import { Result } from "../../../web/results/result.mjs";

/** @typedef {{raw: string, manifest: string, ask: [string, string?][]}} Question */

/**
 * @param {() => object} work
 * @returns {object} what it gives, or the error that it raises
 */
function tried(work) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: { name: error.name, message: error.message } };
  }
}

/** @param {import("../../../web/decode/table.mjs").Table} table */
function columns(table) {
  return Object.entries(table.columns).map(([name, column]) => {
    const values = Array.from({ length: table.length }, (_, row) => valueAt(column, row));
    const shown = values.map((value) => (typeof value === "bigint" ? { big: String(value) } : value));
    return { name, kind: column.kind, values: shown, names: column.kind === "name" ? column.names : null };
  });
}

/**
 * @param {Result} result
 * @param {[string, string?]} asked
 */
function answer(result, [what, name = ""]) {
  switch (what) {
    case "table":
      return { columns: columns(result.table(name)) };
    case "trace":
      return { columns: columns(result.trace(name)) };
    case "packets":
      return { columns: columns(result.packetTable(name)) };
    case "pcapng":
      return { base64: Buffer.from(result.pcapng()).toString("base64") };
    default:
      throw new RangeError(`${what}: nobody knows what that asks for`);
  }
}

/** @type {Question[]} */
const questions = JSON.parse(readFileSync(0, "utf8"));
const answers = questions.map(({ raw, manifest, ask }) =>
  tried(() => {
    const result = new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8")));
    return { answers: ask.map((asked) => tried(() => answer(result, asked))) };
  }),
);
const bytes = Buffer.from(JSON.stringify(answers));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
