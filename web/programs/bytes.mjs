// @ts-check
/* Bytes: inflated, and from hexadecimal digits. */

/**
 * Without zlib's head and checksum, as RFC 1951 has it.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {string} digits two for each byte */
export function fromHex(digits) {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
