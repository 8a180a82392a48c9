// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, measuredText, verdict } from "../../../web/widgets/answer_words.mjs";

test("a difference has words", () => {
  /** @type {[number, number, string][]} */
  const cases = [
    [9.5, 0.92, "ten times less"],
    [1, 1.02, "right, within 5 %"],
    [2, 2, "exactly right"],
    [1, 2, "twice as much"],
    [4, 1.1, "a quarter of it"],
    [1, 1e6, "a hundred times as much, or more"],
    [1, 1e-6, "a hundredth of it, or less"],
    [0, 3, "3 Mbit/s more"],
    [3, 0, "3 Mbit/s less"],
    [-1, -3, "three times as much"],
  ];
  for (const [said, measured, words] of cases) assert.equal(difference(said, measured, "Mbit/s"), words);
});

test("an answer is a sentence", () => {
  const value = { kind: "value", unit: "Mbit/s" };
  assert.equal(verdict(value, 9.5, 0.92), "You said 9.5 Mbit/s; measured 0.92 Mbit/s: ten times less.");
  const choice = {
    kind: "choice",
    choices: [
      ["reno", ""],
      ["cubic", ""],
    ],
  };
  assert.equal(verdict(choice, 0, 0), "You said reno, and so it is.");
  assert.equal(verdict(choice, 0, 1), "You said reno; measured: cubic.");
  const curve = { kind: "curve", unit: "", x: ["0%", "1%"], x_title: "Loss" };
  assert.equal(
    verdict(curve, [9, 8], [9.5, 2]),
    "Near at 1 of 2 points. Farthest off where Loss is 1%: you said 8; measured 2: a quarter of it.",
  );
});

test("what is measured is a text", () => {
  assert.equal(measuredText({ kind: "value", unit: "ms" }, 1234.5), "1,234 ms");
  assert.equal(measuredText({ kind: "curve", unit: "ms", x: ["0", "1"] }, [1, 2]), "0: 1 ms; 1: 2 ms");
  assert.equal(
    measuredText(
      {
        kind: "choice",
        choices: [
          ["reno", ""],
          ["cubic", ""],
        ],
      },
      1,
    ),
    "cubic",
  );
});
