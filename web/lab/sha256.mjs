// @ts-check
/* SHA-256. Browsers have it only where a page came over https: or from this machine; elsewhere it is computed, by
 * @noble/hashes, which is fetched there alone. */

/**
 * SHA-256 of bytes, as hexadecimal digits.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function sha256(bytes) {
  const hash = globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : (await import("../node_modules/@noble/hashes/sha2.js")).sha256(bytes);
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
