// @ts-check
/* The parts of a page's laboratory that need no browser. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { sha256 } from "../../../web/lab/sha256.mjs";
import { unsupported } from "../../../web/lab/unsupported.mjs";

test("SHA-256 is the same with the browser's help and without it", async () => {
  const { crypto } = globalThis;
  for (const length of [0, 1, 64, 1_000_003]) {
    const bytes = new Uint8Array(randomBytes(length + 7)).subarray(7);
    const expected = createHash("sha256").update(bytes).digest("hex");
    assert.equal(await sha256(bytes), expected);
    try {
      Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
      assert.equal(await sha256(bytes), expected, "over plain http:");
    } finally {
      Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
    }
  }
});

const able = {
  location: { protocol: "https:" },
  WebAssembly,
  Worker: class {},
  DecompressionStream,
  BigInt64Array,
};

test("a browser that has all it needs is supported, also without https", () => {
  assert.equal(unsupported(able), null);
  assert.equal(unsupported({ ...able, location: { protocol: "http:" } }), null);
});

test("a file is told how to be served; an old browser what it lacks", () => {
  assert.match(unsupported({ ...able, location: { protocol: "file:" } }) ?? "", /python3 -m http\.server/);
  assert.match(unsupported({ ...able, WebAssembly: undefined }) ?? "", /has no WebAssembly\./);
});
