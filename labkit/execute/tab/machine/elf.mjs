// @ts-check
/* An ELF file of 32 bits, as far as a boot loader reads it. */

const MAGIC = 0x464c457f;
const BITS_32 = 1;
const LOAD = 1;

/**
 * Lay what it loads at its physical addresses into memory that is all zeros. Returns where it begins.
 * @param {Uint8Array} file
 * @param {Uint8Array} ram
 * @throws {Error} if it is no such file
 */
export function load(file, ram) {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (view.getUint32(0, true) !== MAGIC || view.getUint8(4) !== BITS_32)
    throw new Error("the kernel is no ELF file of 32 bits");
  const table = view.getUint32(28, true);
  const size = view.getUint16(42, true);
  for (let i = 0; i < view.getUint16(44, true); i++) {
    const entry = table + i * size;
    if (view.getUint32(entry, true) !== LOAD) continue;
    const from = view.getUint32(entry + 4, true);
    ram.set(file.subarray(from, from + view.getUint32(entry + 16, true)), view.getUint32(entry + 12, true));
  }
  return view.getUint32(24, true);
}
