// Trace events, by each event's own `format` text. What an event means, others know.

import { dotted, RawFormatError } from "./bytes.mjs";
import { eventFormat } from "./event_format.mjs";
import { readPages, readSamples } from "./pages.mjs";
import { each, inSeconds, ints, Table, texts, wide } from "./table.mjs";

/** @typedef {import("./table.mjs").Column} Column */
/** @typedef {import("./raw.mjs").Records} Records */
/** @typedef {import("./pages.mjs").Events} Events */
/** @typedef {import("./event_format.mjs").EventFormat} EventFormat */
/** @typedef {import("./event_format.mjs").EventField} EventField */

const INET = 2; // AF_INET
const ADDRESSES = ["saddr", "daddr"];

/** The trace of a run; of one that was not traced an empty one. */
export class Trace {
  /**
   * @param {Records} records
   * @throws {RawFormatError}
   */
  constructor(records) {
    this.records = records;
    /** @type {Map<string, EventFormat>} */
    this.formats = new Map();
    this._header = "";
    /** @type {Events | null} */
    this._events = null;
    for (const file of records.files()) {
      if (file.path === "events/header_page") {
        this._header = file.text;
      } else if (file.path.startsWith("events/")) {
        const found = eventFormat(file.path, file.text, file.offset);
        this.formats.set(found.name, found);
      }
    }
  }

  /** Where every event is. */
  get events() {
    this._events ??=
      this.records.of("TRACE").length > 0 ? readPages(this.records, this._header) : readSamples(this.records);
    return this._events;
  }

  /** Events that the buffer had no room for. */
  get lost() {
    return Math.max(this.records.lostTraceEvents, this.events.lost);
  }

  /**
   * All events of one name ("tcp/tcp_probe").
   * @param {string} name
   * @throws {RawFormatError}
   */
  occurrences(name) {
    const format = this.formats.get(name);
    if (format === undefined) throw new RangeError(`${name} was not traced`);
    const { id, offset, size, atNs } = this.events;
    const places = [];
    for (let i = 0; i < id.length; i++) if (id[i] === format.id) places.push(i);
    const short = places.find((i) => size[i] < format.size);
    if (short !== undefined)
      throw new RawFormatError(`a ${name} event shorter than its format`, offset[short]);
    return new Occurrences(this.records, format, Int32Array.from(places), offset, atNs);
  }

  /**
   * time_s and the fields of all events of one name as the kernel has them; numbers with a name have it in
   * FIELD_name.
   * @param {string} name
   * @throws {RawFormatError}
   */
  table(name) {
    const found = this.occurrences(name);
    /** @type {Record<string, Column>} */
    const columns = { time_s: inSeconds(found.atNs) };
    for (const field of found.format.fields) {
      if (field.name.startsWith("common_")) continue;
      columns[field.name] = found.shown(field.name);
      if (field.symbols) columns[`${field.name}_name`] = found.symbols(field.name);
    }
    return new Table(columns);
  }
}

/** All events of one name. atNs: since the epoch. place: among the events of all names, as they happened. */
export class Occurrences {
  /**
   * @param {Records} records
   * @param {EventFormat} format
   * @param {Int32Array} place
   * @param {Float64Array} offset of all events
   * @param {Float64Array} atNs of all events
   */
  constructor({ bytes }, format, place, offset, atNs) {
    this.bytes = bytes;
    this.format = format;
    this.place = place;
    this.length = place.length;
    this.offset = Float64Array.from(place, (i) => offset[i]);
    this.atNs = Float64Array.from(place, (i) => atNs[i]);
  }

  /** @param {string} name */
  has(name) {
    return this.format.fields.some((field) => field.name === name);
  }

  /**
   * @param {string} name
   * @returns {EventField}
   */
  field(name) {
    const found = this.format.fields.find((field) => field.name === name);
    if (found === undefined) throw new RangeError(`${this.format.name} has no field ${name}`);
    return found;
  }

  /**
   * A field of whole numbers, for who counts with it.
   * @param {string} name
   */
  numbers(name) {
    const { at, type } = this.field(name);
    return this.offset.map((offset) => this.bytes.number(offset + at, type));
  }

  /**
   * A field of whole numbers, as a column.
   * @param {string} name
   * @returns {Column}
   */
  column(name) {
    const { at, type } = this.field(name);
    const near = this.numbers(name);
    if (type !== "u8" && type !== "i8") return ints(near);
    const signed = type === "i8";
    const read = signed ? this.bytes.exactI8 : this.bytes.exactU8;
    return wide(
      this.length,
      (i) => near[i],
      (i) => read.call(this.bytes, this.offset[i] + at),
      signed,
    );
  }

  /**
   * A field for people: text and addresses as such, other bytes in hex.
   * @param {string} name
   * @returns {Column}
   */
  shown(name) {
    const field = this.field(name);
    if (field.pointer) return each(this._pointed(field, this.numbers(name)));
    const starts = Array.from(this.offset, (offset) => offset + field.at);
    if (field.type === "text") {
      return each(starts.map((start) => this.bytes.textToZero(start, start + field.size)));
    }
    if (field.type !== "bytes") return this.column(name);
    if (ADDRESSES.includes(name) && (field.size === 4 || field.size === 28))
      return each(this.addresses(name));
    return texts(starts.map((start) => this.bytes.hex(start, start + field.size)));
  }

  /**
   * The kernel's names of a field's numbers.
   * @param {string} name
   * @returns {Column}
   */
  symbols(name) {
    const { symbols } = this.field(name);
    return each(Array.from(this.numbers(name), (value) => symbols?.get(value) ?? String(value)));
  }

  /**
   * A field with an address: "10.0.0.1", or of a struct sockaddr_in "10.0.0.1:80"; anything else in hex.
   * @param {string} name
   * @returns {string[]}
   */
  addresses(name) {
    const { at, size } = this.field(name);
    /** @type {Map<string, string>} */
    const known = new Map();
    return Array.from(this.offset, (offset) => {
      const key = this.bytes.hex(offset + at, offset + at + size);
      const text = known.get(key) ?? addressText(this.bytes, offset + at, size);
      known.set(key, text);
      return text;
    });
  }

  /**
   * Text at the end of an event, which a field points at: offset | length << 16.
   * @param {EventField} field
   * @param {Float64Array} values
   */
  _pointed({ name, at, pointer }, values) {
    const behind = pointer === "__rel_loc" ? at + 4 : 0;
    const starts = Array.from(values, (value, i) => this.offset[i] + behind + (value & 0xffff));
    const widest = values.reduce((most, value) => Math.max(most, value >>> 16), 1);
    const last = starts.reduce((most, start) => Math.max(most, start), 0);
    const room = this.bytes.length - last;
    if (room < 1) throw new RawFormatError(`${this.format.name}: ${name} points past the end`, last);
    return starts.map((start) => this.bytes.textToZero(start, start + Math.min(widest, room)));
  }
}

/**
 * @param {import("./bytes.mjs").Bytes} bytes
 * @param {number} at
 * @param {number} size
 */
function addressText(bytes, at, size) {
  if (size === 4) return dotted(bytes.u4Network(at));
  if (size >= 8 && bytes.u2(at) === INET)
    return `${dotted(bytes.u4Network(at + 4))}:${bytes.u2Network(at + 2)}`;
  return bytes.hex(at, at + size);
}
