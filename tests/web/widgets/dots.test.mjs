// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { dotted, results } from "../../../web/widgets/dots.mjs";

/** @typedef {import("../../../web/widgets/dots.mjs").Dot} Dot */

/** @type {import("../../../web/programs/knobs.mjs").Knob[]} */
const KNOBS = [
  { name: "loss", label: "Loss", kind: "slider", texts: ["0%", "1%", "5%"], default: 0, typed: null },
  { name: "cc", label: "Algorithm", kind: "choice", texts: ["reno", "cubic"], default: 0, typed: null },
];

/** @type {(loss: string, cc: string, goodput: string, more?: Partial<Dot>) => Dot} */
const run = (loss, cc, goodput, more = {}) => ({
  values: { loss, cc },
  summary: [["Goodput", goodput]],
  ...more,
});
const RECORDED = [
  run("0%", "reno", "9.5 Mbit/s"),
  run("1%", "reno", "2 Mbit/s"),
  run("5%", "reno", "1 Mbit/s"),
  run("0%", "cubic", "9.6 Mbit/s"),
];

/** @param {{knob?: string, now?: Dot, recorded?: Dot[], own?: Dot[], result?: string}} [shown] */
const shown = ({
  knob = "loss",
  now = RECORDED[1],
  recorded = RECORDED,
  own = [],
  result = "Goodput",
} = {}) => {
  const found = dotted({ knobs: KNOBS, knob, result, now, recorded, own });
  return { ...found, dots: found.data.dots.map(({ x, y, who }) => [x, y, who]) };
};

test("recorded runs are there where all other knobs stand as they do now", () => {
  assert.deepEqual(shown().dots, [
    [0, 9.5, "recorded"],
    [1, 2, "recorded"],
    [5, 1, "recorded"],
    [1, 2, "this run"],
  ]);
});

test("a run that was made here leaves a dot; one with other settings a paler one; the current one is last", () => {
  const [now, other, elsewhere] = [
    run("2.3%", "reno", "1.4 Mbit/s"),
    run("1.1%", "reno", "1.9 Mbit/s"),
    run("1%", "cubic", "2.4 Mbit/s"),
  ];
  const { dots } = shown({ now, own: [other, elsewhere, now], recorded: [] });
  assert.deepEqual(dots, [
    [1, 2.4, "with other settings"],
    [1.1, 1.9, "run here"],
    [2.3, 1.4, "this run"],
  ]);
});

test("other seeds are dots at the same place", () => {
  const own = [1, 2, 3].map((seed) => run("1%", "reno", `${seed} Mbit/s`, { seed }));
  const { dots } = shown({ own, now: own[2], recorded: [] });
  assert.deepEqual(
    dots.map(([x, y]) => [x, y]),
    [
      [1, 1],
      [1, 2],
      [1, 3],
    ],
  );
});

test("a knob of words gives categories, in its order; the axis has the knob's unit, the other the result's", () => {
  const { chart, dots } = shown({ knob: "cc", now: RECORDED[0] });
  const { x, y } = chart.encoding;
  assert.deepEqual([x.type, x.scale.domain, x.title], ["nominal", ["reno", "cubic"], "Algorithm"]);
  assert.deepEqual(dots, [
    ["reno", 9.5, "recorded"],
    ["cubic", 9.6, "recorded"],
    ["reno", 9.5, "this run"],
  ]);
  assert.equal(y.title, "Goodput (Mbit/s)");
  assert.equal(shown().chart.encoding.x.title, "Loss (%)");
});

test("the axis of a knob is there from the start: it does not follow the dots", () => {
  const { x } = shown({ recorded: [] }).chart.encoding;
  assert.deepEqual([x.type, x.scale.type, x.scale.domain], ["quantitative", "linear", [0, 5]]);
  assert.deepEqual(shown({ now: run("20%", "reno", "0.1 Mbit/s") }).chart.encoding.x.scale.domain, [0, 20]);
});

test("a wide range above zero goes by factors", () => {
  const knobs = [{ ...KNOBS[0], texts: ["1ms", "10ms", "100ms"] }];
  const now = run("10ms", "reno", "1 Mbit/s");
  const { chart } = dotted({ knobs, knob: "loss", result: "Goodput", now, recorded: [], own: [] });
  assert.equal(chart.encoding.x.scale.type, "log");
});

test("what is shown is said, with where the others stand once", () => {
  const { description } = shown({ own: [run("2%", "reno", "1.5 Mbit/s", { seed: 4 })] });
  assert.equal(
    description.replaceAll("\u00a0", " "),
    "Goodput against Loss, with Algorithm reno. This run: Loss 1 %: 2 Mbit/s. Run here: Loss 2 %, seed 4: " +
      "1.5 Mbit/s. Recorded: Loss 0 %: 9.5 Mbit/s; Loss 1 %: 2 Mbit/s; Loss 5 %: 1 Mbit/s.",
  );
});

test("a result can be on the axis if it is a number in one unit; one that differs between runs comes first", () => {
  /** @type {(bytes: string, wait: string, share: string) => Dot} */
  const of = (bytes, wait, share) => ({
    values: {},
    summary: [
      ["Received", bytes],
      ["Found by", wait],
      ["Range", "1 to 2 ms"],
      ["Share", share],
      ["Nothing", "none"],
    ],
  });
  const dots = [of("6,000 bytes", "1 dupack", "3 %"), of("6,000 bytes", "2 RACK", "4 %, incomplete")];
  assert.deepEqual(
    [...results(dots)],
    [
      ["Share", "%"],
      ["Received", "bytes"],
    ],
  );
});

test("a run without the number, or beside the axis, has no dot", () => {
  const own = [run("2%", "reno", "none"), run("much", "reno", "1 Mbit/s")];
  assert.equal(shown({ own, recorded: [] }).dots.length, 1);
});
