// @ts-check
// Answers on stdout, as JSON, what the widgets' modules make of the cases on stdin: [{call, arguments}].

import { readFileSync } from "node:fs";

import { fewer, xFields } from "../../../web/widgets/fewer_rows.mjs";
import { canOverlay, together } from "../../../web/widgets/overlay.mjs";
import { unpacked } from "../../../web/widgets/points.mjs";

/** @type {Record<string, (...given: any[]) => unknown>} */
const CALLS = {
  canOverlay,
  together,
  rows: (columns) => unpacked({ summary: [], data: { rows: columns } }, undefined).data?.rows,
  fewer: (rows, most, fields) => fewer(rows, most, new Set(fields)),
  xFields: (chart) => [...xFields(chart)].sort(),
};

/** @param {{call: string, arguments: unknown[]}} asked */
const answer = ({ call, arguments: given }) => CALLS[call](...given);

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(answer)));
