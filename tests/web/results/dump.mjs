// For the tests: the ledgers of run folders as JSON, as the page's own code has them.
//
//     node dump.mjs <questions.json >answers.json
//
// questions: [{raw: path, manifest: path}]. answers: for each of them {error} or {ledger, balance}, columns.

import { readFileSync, writeSync } from "node:fs";
import { valueAt } from "../../../web/decode/table.mjs";
import { Accounts } from "../../../web/results/accounts.mjs";
import { balance } from "../../../web/results/balance.mjs";
import { ledgerOf } from "../../../web/results/ledger.mjs";
import { Result } from "../../../web/results/result.mjs";

/** @typedef {{raw: string, manifest: string}} Question */

/** @param {import("../../../web/decode/table.mjs").Table} table */
function columns(table) {
  return Object.entries(table.columns).map(([name, column]) => {
    const values = Array.from({ length: table.length }, (_, row) => valueAt(column, row));
    return { name, kind: column.kind, values, names: column.kind === "name" ? column.names : null };
  });
}

/** @param {Question} question */
function answer({ raw, manifest }) {
  try {
    const result = new Result(readFileSync(raw), JSON.parse(readFileSync(manifest, "utf8")));
    const accounts = new Accounts(result);
    return { ledger: columns(ledgerOf(accounts)), balance: columns(balance(accounts)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: { name: error.name, message: error.message, stack: error.stack } };
  }
}

/** @type {Question[]} */
const questions = JSON.parse(readFileSync(0, "utf8"));
const bytes = Buffer.from(JSON.stringify(questions.map(answer)));
for (let at = 0; at < bytes.length; at += writeSync(1, bytes, at));
