// Plain tables, made of what a run recorded: how is declared in labkit/decode/plain_tables.py and stands in facts.mjs,
// for each column a word, fields and what is given beside them. What a word means in plain_columns.py it means here.

import { HEADS } from "../program/structs.mjs";
import { byFlow } from "./by_flow.mjs";
import { RawFormatError } from "./bytes.mjs";
import { ERRNO } from "./facts.mjs";
import { flags, inSeconds, ints, named, order, seconds, Table, texts } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./table.mjs").Column} Column */
/** @typedef {import("./table.mjs").Names} Names */
/** @typedef {import("./types.mjs").FlowLayout} FlowLayout */
/** @typedef {keyof typeof HEADS} HeadedKind a type of record that begins with a struct */
/** @typedef {typeof import("./facts.mjs").PLAIN[string]} Plain a table as it is declared */
/** @typedef {Plain["columns"][string]} Word of a column */
/** @typedef {{size: number, at: Record<string, number>, type: Record<string, string>}} Struct */

/**
 * @param {Recorded} run
 * @param {Plain} plain
 * @throws {RawFormatError}
 */
export function plainTable(run, plain) {
  const rows = plain.event === "" ? ofRecords(run, plain) : new EventRows(run, plain.event);
  /** @type {Record<string, Column>} */
  const columns = {};
  for (const [name, column] of Object.entries(plain.columns)) {
    const made = WORDS[column.word](/** @type {any} */ (rows), column);
    if (made !== null) columns[name] = made;
  }
  return new Table(columns);
}

/**
 * @param {Recorded} run
 * @param {Plain} plain
 */
function ofRecords(run, { record, flows, order, since }) {
  const kind = /** @type {HeadedKind} */ (record);
  const mine = flows === "" ? null : run.layout.flows.filter((flow) => flow.kind === flows);
  return new RecordRows(run, kind, mine, order, since);
}

/** Records of a type, in an order: a field of each. */
export class RecordRows {
  /**
   * @param {Recorded} run
   * @param {HeadedKind} kind
   * @param {readonly FlowLayout[] | null} flows only those of these; null: all
   * @param {readonly string[]} keys the fields by which they are sorted, the first of them first
   * @param {string} [since] only those for which this instant was
   * @throws {RawFormatError}
   */
  constructor({ records, layout }, kind, flows, keys, since = "") {
    this._records = records;
    this._kind = kind;
    this._struct = /** @type {Struct} */ (HEADS[kind]);
    /** @type {readonly number[]} */
    this._places = records.heads(kind);
    this._flows = new Map((flows ?? []).map((flow) => [flow.id, flow]));
    if (flows !== null) {
      const known = new Set(layout.flows.map((flow) => flow.id));
      this.numbers("flow").forEach((id, i) => {
        if (known.has(id)) return;
        const what = `a record of type ${kind} of flow ${id}, which there is not`;
        throw new RawFormatError(what, this._places[i]);
      });
      this._keep("flow", (id) => this._flows.has(id));
    }
    const by = keys.map((key) => this.numbers(key));
    const sorted = order(this._places.length, ...by.map((values) => (/** @type {number} */ i) => values[i]));
    this._places = Array.from(sorted, (i) => this._places[i]);
    if (since !== "") this._keep(since, (ns) => ns >= 0);
  }

  /**
   * @param {string} field
   * @param {(value: number) => boolean} wanted
   */
  _keep(field, wanted) {
    const values = this.numbers(field);
    this._places = this._places.filter((_, i) => wanted(values[i]));
  }

  /**
   * @param {string} field of the struct; `at_ns`: when each record was written
   * @param {string} [type] as which it is read
   */
  numbers(field, type = this._struct.type[field]) {
    if (field === "at_ns") return Float64Array.from(this._places, (at) => this._records.atNs(at));
    const inside = this._struct.at[field];
    return Float64Array.from(this._places, (at) => this._records.bytes.number(at + inside, type));
  }

  /**
   * Those of 64 bits as labkit's tables have them, which are signed.
   * @param {string} field
   */
  integers(field) {
    const type = this._struct.type[field];
    return this.numbers(field, type === "u8" ? "i8" : type);
  }

  flowNames() {
    const ids = [...this._flows.keys()];
    const codes = Int32Array.from(this.numbers("flow"), (id) => ids.indexOf(id));
    return named(
      codes,
      Array.from(this._flows.values(), ({ name }) => name),
    );
  }

  texts() {
    const { bytes } = this._records;
    return this._places.map((at) => bytes.textToZero(at + this._struct.size, this._records.end(at)));
  }

  /**
   * Of each one's flow, that item of a list.
   * @param {string} field
   * @param {"ladder" | "objects" | "sizes"} name
   * @param {number} first counts from
   * @returns {any[]}
   * @throws {RawFormatError}
   */
  listed(field, name, first) {
    const flows = this.numbers("flow");
    return Array.from(this.numbers(field), (number, i) => {
      const items = this._flows.get(flows[i])?.[name] ?? [];
      if (!(number - first in items)) {
        const what = `a record of type ${this._kind} has ${field} ${number}: its flow has ${items.length} ${name}`;
        throw new RawFormatError(what, this._places[i]);
      }
      return items[number - first];
    });
  }
}

/** The events of one name: a field of each, or whose it is. */
class EventRows {
  /**
   * @param {Recorded} run
   * @param {string} event
   */
  constructor(run, event) {
    this._events = run.trace.occurrences(event);
    this._ends = byFlow(this._events, run.layout.flows);
  }

  /** @param {string} field of the event; `at_ns`: when each was; `flow`, `side`: whose, by number */
  numbers(field) {
    if (field === "flow" || field === "side") return Float64Array.from(this._ends[field].values);
    return field === "at_ns" ? this._events.atNs : this._events.numbers(field);
  }

  /** @param {string} field */
  integers(field) {
    return this.numbers(field);
  }

  flowNames() {
    return this._ends.flow;
  }

  sides() {
    return this._ends.side;
  }

  /** @param {string} field */
  traced(field) {
    return this._events.has(field) ? this._events.column(field) : null;
  }
}

/**
 * "ECONNREFUSED" for 111, "" for 0.
 * @param {number} number
 */
export function errnoName(number) {
  return number === 0 ? "" : (ERRNO[String(number)] ?? `errno ${number}`);
}

/**
 * From one instant to another (s); NaN if that never was.
 * @param {RecordRows | EventRows} rows
 * @param {readonly string[]} fields
 */
function between(rows, [first, then]) {
  const from = rows.numbers(first);
  return inSeconds(rows.numbers(then).map((at, i) => (at < 0 ? Number.NaN : at - from[i])));
}

/**
 * Which one each is, from 1, of those that are alike in some fields.
 * @param {RecordRows | EventRows} rows
 * @param {readonly string[]} fields
 */
function nth(rows, fields) {
  const columns = fields.map((field) => rows.numbers(field));
  /** @type {Map<string, number>} */
  const counts = new Map();
  return columns[0].map((_, i) => {
    const alike = columns.map((values) => values[i]).join(" ");
    const count = (counts.get(alike) ?? 0) + 1;
    counts.set(alike, count);
    return count;
  });
}

/**
 * Word -> the column, of the records or events of its table. null: there is no such column.
 * @type {Readonly<Record<string, (rows: RecordRows & EventRows, word: Word) => Column | null>>}
 */
const WORDS = {
  flow: (rows) => rows.flowNames(),
  side: (rows) => rows.sides(),
  instant: (rows, { fields }) => seconds(rows.numbers(fields[0])),
  seconds: (rows, { fields }) => inSeconds(rows.numbers(fields[0])),
  between: (rows, { fields }) => between(rows, fields),
  longer: (rows, { fields, given }) =>
    flags(Array.from(between(rows, fields).values, (took) => !(took <= given))),
  reached: (rows, { fields }) => flags(Array.from(rows.numbers(fields[0]), (ns) => ns >= 0)),
  whole: (rows, { fields, given }) => ints(rows.integers(fields[0]).map((number) => number + given)),
  traced: (rows, { fields }) => rows.traced(fields[0]),
  error: (rows, { fields }) => texts(Array.from(rows.numbers(fields[0]), errnoName)),
  one_of: (rows, { fields, given }) =>
    named(
      Int32Array.from(rows.numbers(fields[0]), (number) => Math.min(number, given.length - 1)),
      given,
    ),
  listed: (rows, { fields, given: [name, first] }) => ints(rows.listed(fields[0], name, first)),
  listed_text: (rows, { fields, given: [name, first] }) => texts(rows.listed(fields[0], name, first)),
  text: (rows) => texts(rows.texts()),
  nth: (rows, { fields }) => ints(nth(rows, fields)),
};
