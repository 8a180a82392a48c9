// @ts-check
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { LabError } from "../../book/live/lab/lab.mjs";
import { endOf, LONG_S, measured, sorry } from "../../book/live/widgets/runs.mjs";

/** @typedef {import("../../book/live/widgets/runs.mjs").Lab} Lab */

const STEP_MS = 50;
/** Of a run that will last 60 s of the network's time. @type {any} */
const PLANNED = {
  program: new Uint8Array(),
  manifest: { experiment: { flows: [{ size: null }] } },
  by: "slots",
  until_s: 60,
};

/** Wall time, which goes on as runs do: no test waits for it. */
let now_ms = 1000;
/** @type {{at_ms: number, ring: () => void}[]} */
let alarms = [];
mock.method(performance, "now", () => now_ms);
beforeEach(() => {
  alarms = [];
});

/**
 * @param {number} ms from now on
 * @param {() => void} ring
 */
function alarm(ms, ring) {
  alarms.push({ at_ms: now_ms + ms, ring });
}

/** @param {number} ms */
async function later(ms) {
  now_ms += ms;
  for (const one of alarms.filter(({ at_ms }) => at_ms <= now_ms)) one.ring();
  alarms = alarms.filter(({ at_ms }) => at_ms > now_ms);
}

/**
 * A laboratory whose runs go on at this pace, and never come to their end.
 * @param {number} virtualPerWall
 * @returns {{lab: Lab, counts: {runs: number, ended: number}}}
 */
function slow(virtualPerWall) {
  const counts = { runs: 0, ended: 0 };
  const run = async (/** @type {Uint8Array} */ _, /** @type {any} */ { onTime, signal }) => {
    counts.runs++;
    const start = performance.now();
    try {
      for (;;) {
        if (signal.aborted) throw new LabError("cancelled", "The run was cancelled.");
        await later(STEP_MS);
        onTime(((performance.now() - start) / 1000) * virtualPerWall);
      }
    } finally {
      counts.ended++;
    }
  };
  return { lab: /** @type {any} */ ({ run, kernel: "6.12" }), counts };
}

test("a run that will take long is ended, and asked for with the time that it will take", async () => {
  const { lab, counts } = slow(1);
  /** @type {number[]} */
  const asked = [];
  const agree = async (/** @type {number} */ wall_s) => {
    asked.push(wall_s);
    return false;
  };
  const signal = new AbortController().signal;
  await assert.rejects(measured(lab, PLANNED, { signal, onTime: () => {}, agree }), { kind: "cancelled" });
  assert.deepEqual([counts.runs, counts.ended], [1, 1]);
  assert.ok(Math.abs(asked[0] - 60) < 10, `60 s of the network's time take a minute, not ${asked[0]} s`);
  assert.ok(asked[0] > LONG_S);
});

test("once agreed to it goes on to its end, and is cancelled at once", async () => {
  const { lab, counts } = slow(1);
  const stop = new AbortController();
  let asked = 0;
  const agree = async () => {
    asked++;
    alarm(5000, () => stop.abort()); // longer than it takes to ask
    return true;
  };
  await assert.rejects(measured(lab, PLANNED, { signal: stop.signal, onTime: () => {}, agree }), {
    kind: "cancelled",
  });
  assert.deepEqual([counts.runs, counts.ended, asked], [2, 2, 1]);
});

test("a run that is quick enough, or whose end nobody knows, is not asked for", async () => {
  for (const [lab, until_s] of /** @type {[Lab, number | null][]} */ ([
    [slow(10).lab, 60],
    [slow(0.1).lab, null],
  ])) {
    const stop = new AbortController();
    alarm(5000, () => stop.abort());
    const agree = async () => assert.fail("it was asked for");
    const run = measured(lab, { ...PLANNED, until_s }, { signal: stop.signal, onTime: () => {}, agree });
    await assert.rejects(run, { kind: "cancelled" });
  }
});

test("where something of a given size is sent, its time is but a limit", () => {
  const flows = [{ size: 1e6 }];
  const { manifest } = PLANNED;
  assert.equal(endOf(PLANNED), 60);
  assert.equal(endOf({ ...PLANNED, manifest: { ...manifest, experiment: { flows } } }), null);
  assert.equal(endOf({ ...PLANNED, manifest: { ...manifest, experiment: { flows, duration: 60 } } }), 60);
});

test("what is said of a run that came to nothing", () => {
  assert.equal(sorry(new LabError("cancelled", "Not run.")), "Cancelled.");
  assert.equal(sorry(new LabError("limit", "It met its limit.")), "It met its limit.");
});
