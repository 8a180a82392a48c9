// @ts-check
/* Why a browser, or the address of a page, has no laboratory. Recordings need none of this. */

/** What a machine needs of a browser, and what stands for it in words. */
const NEEDS = /** @type {const} */ ([
  ["WebAssembly", "WebAssembly"],
  ["Worker", "Web Workers"],
  ["DecompressionStream", "DecompressionStream"],
  ["BigInt64Array", "64-bit numbers"],
]);

/**
 * In a sentence or two, for the reader; null: it can.
 * @param {{location?: {protocol: string}} & Record<string, unknown>} [page]
 */
export function unsupported(page = globalThis) {
  if (page.location?.protocol === "file:")
    return (
      "Browsers let no page that is opened as a file start a laboratory. " +
      "Serve its folder instead, with python3 -m http.server, and open the address that it names."
    );
  const missing = NEEDS.filter(([name]) => typeof page[name] === "undefined").map(([, words]) => words);
  if (missing.length)
    return `This browser is too old for the laboratory, or parts of it are switched off: it has no ${missing.join(", no ")}.`;
  return null;
}
