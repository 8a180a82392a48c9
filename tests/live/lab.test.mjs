// @ts-check
/* The parts of a page's laboratory that need no browser. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { computed, sha256 } from "../../book/live/lab/sha256.mjs";
import { unsupported } from "../../book/live/lab/unsupported.mjs";

test("SHA-256 computed is SHA-256, at every length around a block's", async () => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 121, 128, 1_000_003]) {
    const bytes = new Uint8Array(randomBytes(length));
    const expected = createHash("sha256").update(bytes).digest("hex");
    assert.equal(computed(bytes), expected, `${length} bytes`);
    assert.equal(await sha256(bytes), expected);
  }
});

test("a part of a larger buffer is that part", () => {
  const all = new Uint8Array(randomBytes(300));
  assert.equal(computed(all.subarray(7, 207)), computed(all.slice(7, 207)));
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
