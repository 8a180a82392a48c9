// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, isSame, recorded, unpacked } from "../../../web/widgets/points.mjs";

const KNOBS = [
  { name: "loss", label: "Loss", texts: ["0%", "1%"] },
  { name: "delay", label: "Delay", texts: ["10ms"] },
];

test("a recorded point is known by the words of its knobs, and has its own chart", () => {
  const charts = [{ mark: "line" }, { mark: "bar" }];
  const points = {
    "0,0": { summary: [], chart: 1, data: { rows: { "": 2, x: { n: "1 -" }, flow: { is: "a" } } } },
    "1,0": { summary: [["Goodput", "1 Mbit/s"]], empty: "nothing was lost" },
  };
  const found = recorded({ knobs: KNOBS, charts, points });
  assert.deepEqual(
    [...found.keys()].map((words) => words.replaceAll("\u00a0", " ")),
    ["Loss 0 %, Delay 10 ms", "Loss 1 %, Delay 10 ms"],
  );
  const [first, second] = found.values();
  assert.deepEqual(first.values, { loss: "0%", delay: "10ms" });
  assert.deepEqual(first.chart, { mark: "bar" });
  assert.deepEqual(first.data, {
    rows: [
      { x: 1, flow: "a" },
      { x: null, flow: "a" },
    ],
  });
  assert.equal(first.data, first.data); // made once
  assert.deepEqual([second.empty, second.chart], ["nothing was lost", undefined]);
});

test("columns are numbers, texts by number, or as they are", () => {
  const data = { rows: { "": 3, kind: { of: ["x", "y"], at: "0 1 0" }, mixed: [true, "b", null] } };
  const { data: found } = unpacked({ summary: [], data }, {});
  assert.deepEqual(
    found?.rows.map(({ kind, mixed }) => [kind, mixed]),
    [
      ["x", true],
      ["y", "b"],
      ["x", null],
    ],
  );
});

test("runs are the same if what is said of them is", () => {
  /** @type {import("../../../web/widgets/points.mjs").Point} */
  const one = { summary: [["Goodput", "1"]], description: "a", data: { rows: [{ x: 1 }] } };
  assert.ok(isSame(one, { ...one, data: {} }));
  assert.ok(!isSame(one, { ...one, description: "b" }));
  assert.ok(!isSame(one, { ...one, summary: [["Goodput", "2"]] }));
});

test("what another labkit has recorded is refused", () => {
  assert.throws(() => check({ format: 1 }), /format 1, this page reads 2\). Record the chapter again/);
  check({ format: 2 });
});
