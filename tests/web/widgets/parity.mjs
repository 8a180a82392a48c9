// @ts-check
// Answers on stdout, as JSON, what the widgets' modules make of the cases on stdin: [{call, arguments}].

import { readFileSync } from "node:fs";

import { changed, columns, diff, patches, placed, runsOf } from "../../../web/widgets/differences.mjs";
import { fewer, xFields } from "../../../web/widgets/fewer.mjs";

/** @type {Record<string, (...given: any[]) => unknown>} */
const CALLS = {
  changed,
  columns,
  diff,
  patches,
  frame: (chart) => [runsOf(chart), placed(Array(runsOf(chart)).fill(chart))],
  fewer: (rows, most, fields) => fewer(rows, most, new Set(fields)),
  xFields: (chart) => [...xFields(chart)].sort(),
};

/** @param {{call: string, arguments: unknown[]}} asked */
const answer = ({ call, arguments: given }) => CALLS[call](...given);

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(answer)));
