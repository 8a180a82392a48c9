// @ts-check
/* What the kernel asks of its host: the other side of tab/kernel/labtab/labtab.h. */

/** The port to which the kernel says where its struct labtab is, and the one on which it prints. */
export const STRUCT_PORT = 0x7a0;
export const CONSOLE_PORT = 0xe9;

/** enum labtab_call */
export const Call = Object.freeze({
  NONE: 0,
  SIZE: 1,
  READ: 2,
  WRITE: 3,
  GATE: 4,
  OFF: 5,
  STUCK: 6,
  PANIC: 7,
});

const NOW = 0;
const CALL = 8;
const ADDRESS = 12;
const SIZE = 16;
const OFFSET = 20;

/** One struct labtab in the guest's memory. */
export class Labtab {
  /**
   * @param {Uint8Array} ram
   * @param {number} at
   */
  constructor(ram, at) {
    this.ram = ram;
    this.view = new DataView(ram.buffer, ram.byteOffset + at, OFFSET + 4);
  }

  /** Virtual time since the start, in seconds. */
  get now() {
    return Number(this.view.getBigUint64(NOW, true)) / 1e9;
  }

  get call() {
    return this.view.getUint32(CALL, true);
  }

  /**
   * The call is done.
   * @param {number} size
   */
  answer(size) {
    this.view.setUint32(SIZE, size, true);
    this.view.setUint32(CALL, Call.NONE, true);
  }

  /**
   * As much of the program as was asked for, into the guest's memory.
   * @param {Uint8Array} program
   */
  read(program) {
    const from = this.view.getUint32(OFFSET, true);
    const part = program.subarray(from, from + this.view.getUint32(SIZE, true));
    this.ram.set(part, this.view.getUint32(ADDRESS, true));
    return part.length;
  }

  /** A copy of what is put out. */
  written() {
    const from = this.view.getUint32(ADDRESS, true);
    return this.ram.slice(from, from + this.view.getUint32(SIZE, true));
  }
}
