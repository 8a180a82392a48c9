// @ts-check
/* Rules in JavaScript by themselves: exact where floating point is not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { exact, nearest, value } from "../../book/live/programs/rules.mjs";

/** @type {(more: object) => import("../../book/live/programs/rules.mjs").Rule} */
const rule = (more) => ({ p: "1", q: "1", mode: "round", ...more });

test("a number is what its digits say", () => {
  assert.deepEqual(exact(1.37), { over: 137n, under: 100n });
  assert.deepEqual(exact(1e-7), { over: 1n, under: 10n ** 7n });
  assert.deepEqual(exact(2e21), { over: 2n * 10n ** 21n, under: 1n });
  assert.deepEqual(exact(-18.4), { over: -184n, under: 10n });
});

test("halves go to the even number, as in Python", () => {
  assert.deepEqual(
    [0.5, 1.5, 2.5, -0.5, -1.5].map((x) => value(rule({}), exact(x))),
    [0n, 2n, 2n, 0n, -2n],
  );
});

test("down, up, of the inverse, within bounds", () => {
  assert.equal(value(rule({ mode: "floor" }), exact(-1.5)), -2n);
  assert.equal(value(rule({ mode: "ceil" }), exact(-1.5)), -1n);
  assert.equal(value(rule({ p: "12000", inverse: true, mode: "ceil" }), exact(7)), 1715n);
  assert.equal(value(rule({ plus: "3", high: "9" }), exact(100)), 9n);
  assert.equal(value(rule({ p: "4294967295", q: "100" }), exact(1)), 42949673n);
});

test("what is not rounded is the nearest number there is", () => {
  for (const x of [0.1, 0.3, 1.37, 33.3333, 99.9999, 1e-6, 123456])
    assert.equal(nearest(rule({ q: "100" }), exact(x)), Number(`${x}`.includes("e") ? "1e-8" : `${x}e-2`));
  assert.equal(nearest(rule({}), exact(-18.4)), -18.4);
});
