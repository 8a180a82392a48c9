// Tables: named columns of one length. Names that repeat a million times are kept once.

/** @typedef {Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array} Numbers */
/** @typedef {{kind: "float", values: Float64Array}} Floats NaN: missing */
/**
 * Whole numbers; BigInts where one of them is beyond 2^53. missing: which rows have none.
 * @typedef {{kind: "int", values: Numbers | BigInt64Array | BigUint64Array, missing?: Uint8Array}} Integers
 */
/** @typedef {{kind: "flag", values: Uint8Array}} Flags 0 or 1 */
/**
 * Texts of which there are few: each by its place in `names`; -1: missing.
 * @typedef {{kind: "name", values: Int32Array, names: readonly string[]}} Names
 */
/** @typedef {{kind: "text", values: readonly string[]}} Texts */
/** @typedef {Floats | Integers | Flags | Names | Texts} Column */
/** @typedef {number | bigint | string | boolean | null} Value null is missing */

/**
 * @param {Float64Array | readonly number[]} values NaN: missing
 * @returns {Floats}
 */
export function floats(values) {
  return { kind: "float", values: values instanceof Float64Array ? values : Float64Array.from(values) };
}

/**
 * @param {Numbers | BigInt64Array | BigUint64Array | readonly number[]} values
 * @param {Uint8Array} [missing]
 * @returns {Integers}
 */
export function ints(values, missing) {
  const kept = Array.isArray(values) ? Float64Array.from(values) : /** @type {Numbers} */ (values);
  return missing === undefined ? { kind: "int", values: kept } : { kind: "int", values: kept, missing };
}

/**
 * Whole numbers of 64 bits: numbers where a double holds all of them, else BigInts.
 * @param {number} length
 * @param {(row: number) => number} near
 * @param {(row: number) => bigint} exact
 * @param {boolean} signed
 * @returns {Integers}
 */
export function wide(length, near, exact, signed) {
  const values = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const value = near(i);
    if (!Number.isSafeInteger(value)) return ints(bigs(length, exact, signed));
    values[i] = value;
  }
  return ints(values);
}

/**
 * @param {number} length
 * @param {(row: number) => bigint} exact
 * @param {boolean} signed
 */
function bigs(length, exact, signed) {
  const values = signed ? new BigInt64Array(length) : new BigUint64Array(length);
  for (let i = 0; i < length; i++) values[i] = exact(i);
  return values;
}

/**
 * @param {Uint8Array | readonly boolean[]} values
 * @returns {Flags}
 */
export function flags(values) {
  return { kind: "flag", values: Uint8Array.from(values, Number) };
}

/**
 * names[code] for each code.
 * @param {Int32Array | readonly number[]} codes -1: missing
 * @param {readonly string[]} names
 * @returns {Names}
 */
export function named(codes, names) {
  return { kind: "name", values: codes instanceof Int32Array ? codes : Int32Array.from(codes), names };
}

/**
 * Texts of which there are few, in the order of the alphabet; null: missing.
 * @param {readonly (string | null)[]} values
 * @returns {Names}
 */
export function each(values) {
  const names = sorted(new Set(values.filter((value) => value !== null)));
  const codes = new Map(names.map((name, code) => [name, code]));
  return named(
    values.map((value) => (value === null ? -1 : /** @type {number} */ (codes.get(value)))),
    names,
  );
}

/**
 * @param {readonly string[]} values
 * @returns {Texts}
 */
export function texts(values) {
  return { kind: "text", values };
}

/**
 * @param {Column} column
 * @param {number} row
 * @returns {Value}
 */
export function valueAt(column, row) {
  switch (column.kind) {
    case "float": {
      const value = column.values[row];
      return Number.isNaN(value) ? null : value;
    }
    case "int":
      return column.missing?.[row] ? null : column.values[row];
    case "flag":
      return column.values[row] === 1;
    case "name":
      return column.values[row] < 0 ? null : column.names[column.values[row]];
    case "text":
      return column.values[row];
  }
}

/**
 * Some rows of a column.
 * @param {Column} column
 * @param {Int32Array | readonly number[]} rows
 * @returns {Column}
 */
function picked(column, rows) {
  if (column.kind === "text") return texts(Array.from(rows, (row) => column.values[row]));
  const values = /** @type {any} */ (new /** @type {any} */ (column.values.constructor)(rows.length));
  for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]];
  if (column.kind !== "int" || column.missing === undefined) return { ...column, values };
  const { missing } = column;
  return { ...column, values, missing: Uint8Array.from(rows, (row) => missing[row]) };
}

/** Rows and named columns. */
export class Table {
  /** @param {Record<string, Column>} columns in their order, all of one length */
  constructor(columns) {
    this.columns = columns;
    const [first] = Object.values(columns);
    this.length = first === undefined ? 0 : first.values.length;
    for (const [name, column] of Object.entries(columns)) {
      if (column.values.length !== this.length) {
        throw new RangeError(`column ${name} has ${column.values.length} rows, not ${this.length}`);
      }
    }
  }

  /** The columns' names, in their order. */
  get names() {
    return Object.keys(this.columns);
  }

  /**
   * @param {string} name
   * @returns {Column}
   */
  column(name) {
    const found = this.columns[name];
    if (found === undefined) throw new RangeError(`no column ${name}: there are ${this.names.join(", ")}`);
    return found;
  }

  /**
   * @param {string} name
   * @param {number} row
   */
  value(name, row) {
    return valueAt(this.column(name), row);
  }

  /**
   * One row as an object.
   * @param {number} i
   * @returns {Record<string, Value>}
   */
  row(i) {
    return Object.fromEntries(
      Object.entries(this.columns).map(([name, column]) => [name, valueAt(column, i)]),
    );
  }

  /**
   * All rows as objects, which is what charts take.
   * @returns {Record<string, Value>[]}
   */
  rows() {
    return Array.from({ length: this.length }, (_, i) => this.row(i));
  }

  /**
   * Some rows, in that order.
   * @param {Int32Array | readonly number[]} rows
   */
  pick(rows) {
    return new Table(
      Object.fromEntries(Object.entries(this.columns).map(([name, column]) => [name, picked(column, rows)])),
    );
  }

  /**
   * The rows for which something holds.
   * @param {(row: number) => boolean} wanted
   */
  where(wanted) {
    const rows = [];
    for (let i = 0; i < this.length; i++) if (wanted(i)) rows.push(i);
    return this.pick(rows);
  }
}

/**
 * Texts in the order of their code points, as Python has it.
 * @param {Iterable<string>} values
 */
export function sorted(values) {
  return [...values].sort(compared);
}

/**
 * @param {string} a
 * @param {string} b
 */
export function compared(a, b) {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order =
      /** @type {number} */ (left[i].codePointAt(0)) - /** @type {number} */ (right[i].codePointAt(0));
    if (order) return order;
  }
  return left.length - right.length;
}

/**
 * The numbers from 0, in an order: by the first of these, then the next, then by themselves.
 * @param {number} length
 * @param {...((row: number) => number)} keys
 */
export function order(length, ...keys) {
  return Int32Array.from({ length }, (_, i) => i).sort((a, b) => {
    for (const key of keys) {
      const difference = key(a) - key(b);
      if (difference) return difference;
    }
    return a - b;
  });
}

const NS = 1e9;

/**
 * Instants in s from instants in ns; below 0 is never.
 * @param {ArrayLike<number>} ns
 * @returns {Floats}
 */
export function seconds(ns) {
  return floats(Float64Array.from(ns, (at) => (at < 0 ? Number.NaN : at / NS)));
}

/**
 * Seconds from nanoseconds.
 * @param {ArrayLike<number>} ns
 * @returns {Floats}
 */
export function inSeconds(ns) {
  return floats(Float64Array.from(ns, (at) => at / NS));
}
