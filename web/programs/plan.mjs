// @ts-check
/* What a lab program comes with: types, and nothing that runs. */

/** @typedef {any} Json */
/** @typedef {{experiment: Json, layout: Json}} Manifest */
/** @typedef {{program: Uint8Array<ArrayBuffer>, manifest: Manifest, memory_mb: number, until_s: number | null}} Plan */

export {};
