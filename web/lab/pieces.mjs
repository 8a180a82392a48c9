// @ts-check
/* What the lab is made of, as files of this site: pieces.json names each with its length and its SHA-256. They are
 * kept by the browser (Cache API), and never taken unlooked at: a copy that is damaged is fetched anew, once. */

import { LabError } from "./errors.mjs";
import { sha256 } from "./sha256.mjs";

/**
 * gzip: the file is compressed; sha256 and bytes are those of the file as it lies there.
 * @typedef {{path: string, sha256: string, bytes: number, gzip?: boolean}} Piece
 */
/** @typedef {{format: number, kernel: string, files: Record<string, Piece>}} Listing */
/** @typedef {(bytes: number) => void} OnBytes told of each part that arrives */

const FORMAT = 1;

/** Where the site's own lab lies: the folder of which this file is a part. */
export const BASE = new URL("../../", import.meta.url);

/** Several books may lie on one host: each has a cache of its own. */
const CACHE = `lost packets: lab of ${BASE.pathname}`;

export class Pieces {
  /**
   * @param {Listing} listing
   * @param {URL} base
   */
  constructor(listing, base) {
    this.listing = listing;
    this.base = base;
  }

  /**
   * Those that the site has today.
   * @param {URL} [base]
   * @throws {LabError}
   */
  static async listed(base = BASE) {
    const bytes = await fetched(new URL("pieces.json", base), "no-cache");
    /** @type {Listing} */
    let listing;
    try {
      listing = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw new LabError(
        "damaged",
        "The list of the laboratory's files (pieces.json) cannot be read: try again later.",
      );
    }
    if (listing.format !== FORMAT)
      throw new LabError(
        "unsupported",
        "This page is older than the laboratory beside it: load the page again.",
      );
    return new Pieces(listing, base);
  }

  /**
   * @param {string} name
   * @throws {LabError} if the site has none of that name
   */
  piece(name) {
    const found = this.listing.files[name];
    if (!found)
      throw new LabError("unsupported", `This site was built without a part of the laboratory (${name}).`);
    return found;
  }

  /** @param {string} name */
  address(name) {
    return new URL(this.piece(name).path, this.base);
  }

  /**
   * The content of one, not compressed.
   * @param {string} name
   * @param {OnBytes} [onBytes]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   * @throws {LabError}
   */
  async content(name, onBytes = () => {}) {
    const bytes = await this.#bytes(name, onBytes);
    return this.piece(name).gzip ? inflated(bytes) : bytes;
  }

  /**
   * @param {string} name
   * @param {OnBytes} onBytes
   */
  async #bytes(name, onBytes) {
    const wanted = this.piece(name);
    const url = this.address(name);
    const cache = await kept();
    const copy = cache && (await caches.match(url)); // the service worker may have it, too
    if (copy) {
      const bytes = new Uint8Array(await copy.arrayBuffer());
      if (await isWhole(bytes, wanted)) {
        onBytes(bytes.length);
        return bytes;
      }
      await forget(url);
    }
    const bytes = await this.#arrived(name, onBytes);
    await keep(cache, url, bytes);
    return bytes;
  }

  /**
   * Fetched, and what it should be. The second time nothing between here and the server may answer from memory.
   * @param {string} name
   * @param {OnBytes} onBytes
   */
  async #arrived(name, onBytes) {
    for (const mode of /** @type {RequestCache[]} */ (["default", "reload"])) {
      let arrived = 0;
      const bytes = await fetched(this.address(name), mode, (part) => {
        arrived += part;
        onBytes(part);
      });
      if (await isWhole(bytes, this.piece(name))) return bytes;
      onBytes(-arrived);
    }
    const file = this.piece(name).path;
    throw new LabError(
      "damaged",
      `${file} arrived damaged, twice: something between here and the site changes it.`,
    );
  }

  /** Forget what this site does not name any more. */
  async tidy() {
    const cache = await kept();
    if (!cache) return;
    const named = new Set(Object.keys(this.listing.files).map((name) => this.address(name).href));
    for (const { url } of await cache.keys()) if (!named.has(url)) await cache.delete(url);
  }
}

/** The browser's cache; null where it gives none: over plain http:, or in a private window of some. */
async function kept() {
  try {
    return globalThis.caches ? await caches.open(CACHE) : null;
  } catch {
    return null;
  }
}

/**
 * In every cache of this host.
 * @param {URL} url
 */
async function forget(url) {
  for (const name of await caches.keys()) await (await caches.open(name)).delete(url);
}

/**
 * A browser that has no room for it fetches it again the next time.
 * @param {Cache | null} cache
 * @param {URL} url
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function keep(cache, url, bytes) {
  await cache?.put(url, new Response(bytes)).catch(() => {});
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Piece} wanted
 */
async function isWhole(bytes, wanted) {
  return bytes.length === wanted.bytes && (await sha256(bytes)) === wanted.sha256;
}

/**
 * @param {URL} url
 * @param {RequestCache} cache
 * @param {OnBytes} [onBytes]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {LabError} if it does not arrive
 */
async function fetched(url, cache, onBytes) {
  const name = url.pathname.split("/").pop();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let response;
  try {
    response = await fetch(url, { cache });
    if (response.ok && response.body) {
      const reader = response.body.getReader();
      for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
        parts.push(value);
        onBytes?.(value.length);
      }
    }
  } catch {
    throw new LabError("fetch", `${name} could not be fetched: is there a network? Try again.`);
  }
  if (!response.ok)
    throw new LabError("fetch", `${name} could not be fetched: the site answers ${response.status}.`);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes of gzip
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
