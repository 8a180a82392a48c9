// @ts-check
/* What is done of what is wanted faster than it can be done. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Latest } from "../../../web/widgets/latest.mjs";

/** Work that ends when it is told to: `end` of what is under way. */
function slow() {
  /** @type {string[]} */
  const begun = [];
  /** @type {AbortSignal[]} */
  const signals = [];
  let end = () => {};
  const latest = new Latest((/** @type {string} */ wanted, signal) => {
    begun.push(wanted);
    signals.push(signal);
    return new Promise((resolve) => {
      end = () => resolve(undefined);
    });
  });
  const ended = async () => {
    end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { latest, begun, signals, ended };
}

test("what is under way is let finish, of the rest only the newest is done, and the last always", async () => {
  const { latest, begun, signals, ended } = slow();
  for (const wanted of ["1", "2", "3"]) latest.want(wanted);
  assert.deepEqual(begun, ["1"]);
  assert.equal(latest.newest, "3");
  await ended();
  assert.deepEqual(begun, ["1", "3"]);
  latest.want("4");
  latest.want("5");
  await ended();
  assert.deepEqual(begun, ["1", "3", "5"]);
  await ended();
  assert.equal(latest.newest, null);
  latest.want("6");
  assert.deepEqual(begun, ["1", "3", "5", "6"]);
  assert.ok(signals.every(({ aborted }) => !aborted));
});

test("cancelled, what is under way is told so, what waits is forgotten, and what is wanted next begins at once", async () => {
  const { latest, begun, signals, ended } = slow();
  latest.want("1");
  latest.want("2");
  latest.cancel();
  assert.equal(latest.newest, null);
  assert.deepEqual([begun, signals[0].aborted], [["1"], true]);
  latest.want("3");
  assert.deepEqual(begun, ["1", "3"]);
  await ended();
  assert.deepEqual(begun, ["1", "3"]);
  assert.equal(signals[1].aborted, false);
  assert.equal(latest.newest, null);
});
