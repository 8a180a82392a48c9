// What the agent writes about traffic of some kind: structs, each a row. Its counts of 64 bits are read as signed ones,
// which is what labkit's tables have, and sorted as what they are.

import { order } from "./table.mjs";

/** @typedef {import("./records.mjs").KindName} KindName */
/** @typedef {import("./records.mjs").Records} Records */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */
/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/**
 * Columns of one length, by the names of a struct's fields.
 * @template {string} Name
 * @typedef {Record<Name, Float64Array>} Rows
 */

/**
 * The structs of all records of a kind, in the order of some fields.
 * @template {Readonly<Record<string, string>>} Struct
 * @param {Records} records
 * @param {KindName} kind
 * @param {Struct} struct its fields in order, none of them padded, and their types
 * @param {readonly (keyof Struct & string)[]} keys by which they are sorted, the first of them first
 * @param {(flow: number) => boolean} [wanted] by its first field, the number of a flow
 * @returns {Rows<keyof Struct & string>}
 * @throws {import("./bytes.mjs").RawFormatError}
 */
export function readRows(records, kind, struct, keys, wanted = () => true) {
  const names = /** @type {(keyof Struct & string)[]} */ (Object.keys(struct));
  const sizes = names.map((name) => Number(struct[name].at(-1)));
  const { bytes } = records;
  const least = sizes.reduce((sum, size) => sum + size, 0);
  const places = records.of(kind, least).filter((at) => wanted(bytes.u4(at)));
  let offset = 0;
  const rows = /** @type {Rows<keyof Struct & string>} */ ({});
  names.forEach((name, field) => {
    const inside = offset;
    rows[name] = Float64Array.from(places, (at) => bytes.number(at + inside, struct[name]));
    offset += sizes[field];
  });
  const sorted = order(
    places.length,
    ...keys.map((key) => (/** @type {number} */ i) => unsigned(rows[key][i])),
  );
  for (const name of names) {
    const column = rows[name];
    rows[name] = Float64Array.from(sorted, (i) => column[i]);
  }
  return rows;
}

/** @param {number} value */
function unsigned(value) {
  return value < 0 ? value + 2 ** 64 : value;
}

/**
 * The flows of a kind by their number.
 * @param {Recorded} run
 * @param {string} kind
 * @returns {Map<number, FlowLayout>}
 */
export function flowsOf({ layout }, kind) {
  return new Map(layout.flows.filter((flow) => flow.kind === kind).map((flow) => [flow.id, flow]));
}
