// @ts-check
/* A file that the reader keeps. */

import { element } from "../widgets/dom.mjs";

/**
 * @param {string} name
 * @param {BlobPart[]} parts
 * @param {string} type
 */
export function save(name, parts, type) {
  const href = URL.createObjectURL(new Blob(parts, { type }));
  element("a", { href, download: name.replaceAll(/[^\w.-]+/g, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
