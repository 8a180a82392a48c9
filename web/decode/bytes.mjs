// Numbers and texts out of bytes. What the bytes mean, the other modules know.
// Integers of 64 bits are numbers where a double holds them, else the nearest one; exact as BigInts.

const HIGH = 2 ** 32;
// Like Python's decode(errors="replace"): a byte order mark is a character like any other.
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The raw file is not what an agent writes: what is wrong, at which byte, and what to do. */
export class RawFormatError extends Error {
  /**
   * @param {string} what
   * @param {number} offset of the damage, in bytes of the file
   */
  constructor(what, offset) {
    super(`raw file damaged at byte ${offset}: ${what}: delete this result and run again`);
    this.name = "RawFormatError";
    this.offset = offset;
  }
}

/** A stretch of bytes, read at any offset. Little-endian, but for what ends in "Network". */
export class Bytes {
  /** @param {Uint8Array} data */
  constructor(data) {
    this.data = data;
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    this.length = data.byteLength;
  }

  /** @param {number} at */
  u1(at) {
    return this.view.getUint8(at);
  }

  /** @param {number} at */
  u2(at) {
    return this.view.getUint16(at, true);
  }

  /** @param {number} at */
  u4(at) {
    return this.view.getUint32(at, true);
  }

  /** @param {number} at */
  i4(at) {
    return this.view.getInt32(at, true);
  }

  /** @param {number} at */
  u8(at) {
    return this.view.getUint32(at + 4, true) * HIGH + this.view.getUint32(at, true);
  }

  /** @param {number} at */
  i8(at) {
    return this.view.getInt32(at + 4, true) * HIGH + this.view.getUint32(at, true);
  }

  /** @param {number} at */
  exactU8(at) {
    return this.view.getBigUint64(at, true);
  }

  /** @param {number} at */
  exactI8(at) {
    return this.view.getBigInt64(at, true);
  }

  /** @param {number} at */
  u2Network(at) {
    return this.view.getUint16(at, false);
  }

  /** @param {number} at */
  u4Network(at) {
    return this.view.getUint32(at, false);
  }

  /**
   * A number by its type as numpy has it: "u1", "i4" and so on, "u8" and "i8" as doubles.
   * @param {number} at
   * @param {string} type
   * @returns {number}
   */
  number(at, type) {
    switch (type) {
      case "u1":
        return this.u1(at);
      case "i1":
        return this.view.getInt8(at);
      case "u2":
        return this.u2(at);
      case "i2":
        return this.view.getInt16(at, true);
      case "u4":
        return this.u4(at);
      case "i4":
        return this.i4(at);
      case "u8":
        return this.u8(at);
      case "i8":
        return this.i8(at);
      default:
        throw new TypeError(`${type}: no type of a number`);
    }
  }

  /**
   * UTF-8; what is none becomes U+FFFD.
   * @param {number} start
   * @param {number} end
   */
  text(start, end) {
    return DECODER.decode(this.data.subarray(start, end));
  }

  /**
   * The same up to the first zero byte.
   * @param {number} start
   * @param {number} end
   */
  textToZero(start, end) {
    const zero = this.data.subarray(start, end).indexOf(0);
    return this.text(start, zero < 0 ? end : start + zero);
  }

  /**
   * The same without the zero bytes at its end, as numpy has a text.
   * @param {number} start
   * @param {number} end
   */
  textWithoutZeros(start, end) {
    let stop = end;
    while (stop > start && this.data[stop - 1] === 0) stop--;
    return this.text(start, stop);
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  hex(start, end) {
    return Array.from(this.data.subarray(start, end), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

/**
 * "10.0.0.1" for an address as a number.
 * @param {number} address
 */
export function dotted(address) {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}

/**
 * An IPv4 address as a number, as headers have it.
 * @param {string} text
 */
export function addressNumber(text) {
  return text.split(".").reduce((found, part) => found * 256 + Number(part), 0);
}
