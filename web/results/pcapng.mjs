// A capture file for Wireshark: nanoseconds, named interfaces, which way each frame went.
// Format: draft-ietf-opsawg-pcapng, sections 4.1 to 4.3 (blocks) and 3.5 (options).

/** @typedef {import("../decode/frames.mjs").Frames} Frames */

const ETHERNET = 1; // LINKTYPE_ETHERNET
const SECTION = 0x0a0d0d0a; // types of block
const INTERFACE = 1;
const PACKET = 6;
const ORDER = 0x1a2b3c4d;
const VERSION = 1; // 1.0
const UNKNOWN = 0xffffffff; // both halves of a section's length that nobody tells
const END = 0; // types of option
const IF_NAME = 2;
const IF_TSRESOL = 9;
const EPB_FLAGS = 2;
const NANOSECONDS = 9; // if_tsresol: 10^-9 s
const IN = 1; // epb_flags, direction
const OUT = 2;
const HIGH = 2 ** 32;
const BLOCK = 12; // bytes of a block: its type, and twice its size
const OPTION = 4; // of an option: its type and size

/**
 * Frames as pcapng; time 0 is the start of the run.
 * @param {Frames} frames
 * @param {ReadonlyMap<number, string>} names interface index -> name
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function pcapng(frames, names) {
  const numbers = new Map([...names.keys()].map((index, number) => [index, number]));
  const texts = [...names.values()].map((name) => new TextEncoder().encode(name));
  const file = new File(
    BLOCK + 16 + sum(texts, interfaceSize) + sum(frames.captured, (captured) => packetSize(captured)),
  );
  file.block(SECTION, BLOCK + 16, () => file.u4(ORDER, VERSION, UNKNOWN, UNKNOWN));
  for (const text of texts) {
    file.block(INTERFACE, interfaceSize(text), () => {
      file.u4(ETHERNET, 0);
      file.option(IF_NAME, text);
      file.option(IF_TSRESOL, [NANOSECONDS]);
      file.option(END, []);
    });
  }
  for (let i = 0; i < frames.length; i++) {
    const number = numbers.get(frames.interface[i]);
    if (number === undefined) throw new RangeError(`interface ${frames.interface[i]} has no name`);
    const at = frames.atNs[i];
    const data = frames.data(i);
    file.block(PACKET, packetSize(data.length), () => {
      file.u4(number, Math.floor(at / HIGH), at, data.length, frames.size[i]);
      file.bytes(data);
      file.option(EPB_FLAGS, [frames.outgoing[i] ? OUT : IN, 0, 0, 0]);
      file.option(END, []);
    });
  }
  return file.data;
}

/** @param {Uint8Array} name */
function interfaceSize(name) {
  return BLOCK + 8 + OPTION + padded(name.length) + OPTION + 4 + OPTION;
}

/** @param {number} captured */
function packetSize(captured) {
  return BLOCK + 20 + padded(captured) + OPTION + 4 + OPTION;
}

/** @param {number} size */
function padded(size) {
  return (size + 3) & ~3;
}

/**
 * @template Value
 * @param {Iterable<Value>} values
 * @param {(value: Value) => number} size
 */
function sum(values, size) {
  let total = 0;
  for (const value of values) total += size(value);
  return total;
}

/** A file that is written from its start to its end. */
class File {
  /** @param {number} size */
  constructor(size) {
    this.data = new Uint8Array(size);
    this._view = new DataView(this.data.buffer);
    this._at = 0;
  }

  /**
   * @param {number} kind
   * @param {number} size of the whole block
   * @param {() => void} body writes what is in it
   */
  block(kind, size, body) {
    this.u4(kind, size);
    body();
    this.u4(size);
  }

  /**
   * Modulo 2^32.
   * @param {...number} values
   */
  u4(...values) {
    for (const value of values) {
      this._view.setUint32(this._at, value, true);
      this._at += 4;
    }
  }

  /**
   * Padded to 4.
   * @param {ArrayLike<number>} part
   */
  bytes(part) {
    this.data.set(part, this._at);
    this._at += padded(part.length);
  }

  /**
   * @param {number} code
   * @param {ArrayLike<number>} value
   */
  option(code, value) {
    this._view.setUint16(this._at, code, true);
    this._view.setUint16(this._at + 2, value.length, true);
    this._at += OPTION;
    this.bytes(value);
  }
}
