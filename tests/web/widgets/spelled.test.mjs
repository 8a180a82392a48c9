// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { spelled, unitOf, wordsOf } from "../../../web/widgets/spelled.mjs";

const SPELLED = {
  "5%": "5 %",
  "0.1 %": "0.1 %",
  "15ms": "15 ms",
  "10us": "10 µs",
  "1mbit": "1 Mbit/s",
  "20p": "20 packets",
  "1p": "1 packet",
  "1 packets": "1 packet",
  "1 segments": "1 segment",
  "10 packets": "10 packets",
  "-18.4 dBm": "-18.4 dBm",
  "64 kB": "64 kB",
};

test("a value has a gap before its unit, the unit written out, and one of a thing is one thing", () => {
  for (const [text, said] of Object.entries(SPELLED))
    assert.equal(spelled(text).replace("\u00a0", " "), said);
});

test("number and unit stay in one line", () => {
  assert.equal(spelled("5 %"), "5\u00a0%");
});

test("what is no number with a unit stays as it is", () => {
  for (const text of [
    "cubic",
    "1.1",
    "1e-7",
    "UDP of 12 Mbit/s",
    "one, and its copy",
    "25th",
    "fq_codel",
    "2 of 3",
    "",
  ])
    assert.equal(spelled(text), text);
});

test("units are written out alone, too", () => {
  assert.deepEqual(["p", "us", "ms", ""].map(unitOf), ["packets", "µs", "ms", ""]);
});

test("a run is called by where its knobs stood, and by its seed if one was typed", () => {
  const knobs = [
    { name: "loss", label: "Loss" },
    { name: "cc", label: "Congestion control" },
  ];
  const values = { cc: "reno", loss: "0.7%" };
  assert.equal(wordsOf(knobs, values), "Loss 0.7\u00a0%, Congestion control reno");
  assert.equal(wordsOf(knobs, values, 4), "Loss 0.7\u00a0%, Congestion control reno, seed 4");
});
