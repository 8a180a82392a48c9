// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { isFree } from "../../../web/widgets/ahead.mjs";

test("what nobody asked for is fetched where it costs nothing, as far as the browser says", () => {
  const fast = { saveData: false, effectiveType: "4g" };
  assert.equal(isFree(fast, false), true);
  assert.equal(isFree({ ...fast, type: "wifi" }, false), true);
  assert.equal(isFree({ ...fast, saveData: true }, true), false);
  assert.equal(isFree({ ...fast, type: "cellular" }, true), false);
  for (const effectiveType of ["slow-2g", "2g", "3g"])
    assert.equal(isFree({ ...fast, effectiveType }, true), false);
});

test("a browser that says nothing of its connection fetches it on a machine with a mouse", () => {
  assert.equal(isFree(undefined, true), true);
  assert.equal(isFree(undefined, false), false);
});
