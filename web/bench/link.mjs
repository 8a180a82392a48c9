// An experiment in the address of the page: #1.CHECKSUM.DATA, where 1 is the format, the checksum is CRC-32 of the
// canonical JSON, and the data is that JSON, deflated, in base64url. Whoever made a link, what comes out of it is data:
// labkit's own compile decides whether it is an experiment.

import { crc32 } from "./crc32.mjs";
import { canonical } from "./experiment.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

const FORMAT = "1";
const MOST_CHARACTERS = 32_000;
const MOST_BYTES = 256_000;
const MOST_DEPTH = 32;

/** A link that cannot be read; says why. */
export class LinkError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "LinkError";
  }
}

/**
 * The fragment that `opened` reads, with its "#".
 * @param {JsonObject} json
 * @returns {Promise<string>}
 * @throws {LinkError} it is too long
 */
export async function sealed(json) {
  const bytes = new TextEncoder().encode(canonical(json));
  const packed = await piped(bytes, new CompressionStream("deflate-raw"), MOST_CHARACTERS);
  const data = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  const fragment = `#${FORMAT}.${checksum(bytes)}.${data}`;
  if (fragment.length > MOST_CHARACTERS || bytes.length > MOST_BYTES) {
    throw new LinkError("This experiment is too large for a link: download it as a notebook instead.");
  }
  return fragment;
}

/** @param {Uint8Array} bytes */
function checksum(bytes) {
  return crc32(bytes).toString(16).padStart(8, "0");
}

/**
 * Is this a link of an experiment, right or wrong? Else it may be a heading's.
 * @param {string} fragment
 */
export function isSealed(fragment) {
  return /^#\d+\./.test(fragment);
}

/**
 * The JSON in a fragment: an object; what is in it nobody has looked at.
 * @param {string} fragment with its "#"
 * @returns {Promise<JsonObject>}
 * @throws {LinkError}
 */
export async function opened(fragment) {
  if (fragment.length > MOST_CHARACTERS) {
    throw new LinkError(
      `The link has ${fragment.length} characters: no more than ${MOST_CHARACTERS} are read.`,
    );
  }
  const parts = /^#(\d{1,4})\.([0-9a-f]{8})\.([\w-]+)$/.exec(fragment);
  if (parts?.[1] !== undefined && parts[1] !== FORMAT) {
    throw new LinkError(`The link has format ${parts[1]}; this page reads ${FORMAT}. Ask for a new one.`);
  }
  const damaged = new LinkError("The link is damaged: copy all of it, from # to its end.");
  if (parts === null) throw damaged;
  const bytes = await unpacked(parts[3], damaged);
  if (checksum(bytes) !== parts[2]) throw damaged;
  return parsed(bytes);
}

/**
 * @param {string} data base64url
 * @param {LinkError} damaged
 */
async function unpacked(data, damaged) {
  try {
    const text = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(text, (char) => char.charCodeAt(0));
    return await piped(packed, new DecompressionStream("deflate-raw"), MOST_BYTES);
  } catch (error) {
    throw error instanceof LinkError ? error : damaged;
  }
}

/** @param {Uint8Array} bytes */
function parsed(bytes) {
  let json;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new LinkError("The link holds no experiment: what is in it is not JSON.");
  }
  if (json === null || typeof json !== "object" || Array.isArray(json)) {
    throw new LinkError("The link holds no experiment: it has no fields.");
  }
  if (depth(json) > MOST_DEPTH) throw new LinkError("The link holds no experiment: it is nested too deeply.");
  return /** @type {JsonObject} */ (json);
}

/**
 * @param {unknown} value
 * @returns {number}
 */
function depth(value) {
  let [level, deep] = [[value], 0];
  while (level.length && deep <= MOST_DEPTH) {
    level = level.flatMap((one) => (one !== null && typeof one === "object" ? Object.values(one) : []));
    deep += 1;
  }
  return deep;
}

/**
 * Bytes through a stream, no more than `most`.
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @param {number} most
 * @returns {Promise<Uint8Array>}
 * @throws {LinkError}
 */
async function piped(bytes, stream, most) {
  const writer = stream.writable.getWriter();
  const fed = writer
    .write(/** @type {BufferSource} */ (bytes))
    .then(() => writer.close())
    .catch(() => {}); // whoever reads is told
  const reader = stream.readable.getReader();
  const parts = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > most) {
      await reader.cancel();
      throw new LinkError(`The experiment is too large for a link: no more than ${most} bytes are read.`);
    }
    parts.push(next.value);
  }
  await fed;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
