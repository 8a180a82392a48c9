// @ts-check
/* SHA-256. Browsers have it only where a page came over https: or from this machine; elsewhere it is computed here
 * (FIPS 180-4). */

const BLOCK = 64;
const PRIMES = primes(64);
const FIRST = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(prime ** (1 / 2)));
const ROUNDS = Uint32Array.from(PRIMES, (prime) => fraction(prime ** (1 / 3)));

/** @param {number} count */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime)) found.push(n);
  return found;
}

/**
 * The first 32 bits behind the point.
 * @param {number} x
 */
function fraction(x) {
  return ((x - Math.floor(x)) * 2 ** 32) >>> 0;
}

/**
 * @param {number} x
 * @param {number} n
 */
const turned = (x, n) => (x >>> n) | (x << (32 - n));

/**
 * SHA-256 of bytes, as hexadecimal digits.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function sha256(bytes) {
  if (!globalThis.crypto?.subtle) return computed(bytes);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The same without the browser's help.
 * @param {Uint8Array} bytes
 */
export function computed(bytes) {
  const state = FIRST.slice();
  const schedule = new Uint32Array(64);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (const [part, end] of /** @type {[Uint8Array, number][]} */ ([
    [bytes, whole],
    [padded(bytes, whole), Infinity],
  ])) {
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = 0; at < Math.min(end, part.length); at += BLOCK) compress(state, schedule, view, at);
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/**
 * What remains behind the last whole block, with its length in bits at the end.
 * @param {Uint8Array} bytes
 * @param {number} whole
 */
function padded(bytes, whole) {
  const rest = bytes.subarray(whole);
  const made = new Uint8Array(rest.length + 9 > BLOCK ? 2 * BLOCK : BLOCK);
  made.set(rest);
  made[rest.length] = 0x80;
  new DataView(made.buffer).setBigUint64(made.length - 8, 8n * BigInt(bytes.length));
  return made;
}

/**
 * @param {Uint32Array} state
 * @param {Uint32Array} w
 * @param {DataView} view
 * @param {number} at
 */
function compress(state, w, view, at) {
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const low = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const high = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const one = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const first = (h + one + ROUNDS[i] + w[i]) | 0;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e] = [g, f, e, (d + first) | 0];
    [d, c, b, a] = [c, b, a, (first + two) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] += word;
}
