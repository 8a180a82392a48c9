// @ts-check
/* The parts of a page's laboratory that need no browser. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { computed, sha256 } from "../../book/live/lab/sha256.mjs";
import { unsupported } from "../../book/live/lab/unsupported.mjs";
import { Course } from "../../book/live/widgets/estimate.mjs";

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

test("a steady run takes what its pace says", () => {
  const course = new Course();
  for (let i = -5; i <= 10; i++) course.add(i / 10, 3 + i * 0.2); // from 0 on 2 s of wall time a virtual second
  assert.ok(Math.abs(course.wallUntil(10) - (3 + 20)) < 1e-9);
});

test("the pace is that of the later half: code that is compiled is faster", () => {
  const course = new Course();
  course.add(0, 1);
  course.add(0.1, 1.9); // slow
  course.add(0.2, 2.1);
  course.add(1.2, 3); // fast
  assert.ok(Math.abs(course.wallUntil(2.2) - 3.9) < 1e-9);
});

test("what is over already has taken what it took; what has not moved is not foreseen", () => {
  const course = new Course();
  assert.equal(course.wallUntil(1), Infinity);
  course.add(-1, 0.5);
  assert.equal(course.wallUntil(1), Infinity);
  course.add(0, 0.6);
  assert.equal(course.wallUntil(1), Infinity);
  course.add(3, 2);
  assert.equal(course.wallUntil(2), 2);
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
