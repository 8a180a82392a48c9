// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { Scale } from "../../book/live/widgets/scale.mjs";
import { seedsOf } from "../../book/live/widgets/seeds.mjs";

const loss = new Scale(["0%", "0.5%", "1%", "5%"], {
  unit: "%",
  low: 0,
  high: 100,
  scale: "linear",
  numbers: [0, 0.5, 1, 5],
  whole: false,
});
const ber = new Scale(["1e-7", "1e-6", "1e-5"], {
  unit: "",
  low: 0,
  high: 1,
  scale: "log",
  numbers: [1e-7, 1e-6, 1e-5],
  whole: false,
});
const power = new Scale(["-17 dBm", "-18.4 dBm", "-19 dBm"], {
  unit: "dBm",
  low: -24,
  high: -12,
  scale: "linear",
  numbers: [-17, -18.4, -19],
  whole: false,
});
const queue = new Scale(["5 packets", "20 packets", "160 packets"], {
  unit: "packets",
  low: 1,
  high: 10000,
  scale: "log",
  numbers: [5, 20, 160],
  whole: true,
});

test("recorded values are at the whole numbers of the slider, and are written as they were recorded", () => {
  for (const scale of [loss, ber, power, queue]) {
    scale.texts.forEach((text, i) => {
      assert.equal(scale.text(i), text);
      assert.equal(scale.placeOf(text), i);
    });
  }
});

test("between two recorded values a place has a value of its own, and the value that place", () => {
  assert.equal(loss.text(1.5), "0.75%");
  assert.equal(ber.text(0.5), "3.16e-7");
  assert.equal(ber.text(1.5), "3.16e-6");
  assert.equal(power.text(0.5), "-17.7 dBm");
  assert.equal(queue.text(0.5), "10 packets");
  for (const scale of [loss, ber, power]) {
    for (const place of [0.25, 1.1, 1.95]) {
      assert.ok(Math.abs(/** @type {number} */ (scale.placeOf(scale.text(place))) - place) < 0.01);
    }
  }
});

test("counts are whole", () => {
  assert.match(queue.text(1.37), /^\d+ packets$/);
  assert.throws(() => queue.read("7.5"), { name: "RangeError", message: "write a whole number" });
});

test("a bare number gets the unit, a recorded value its text", () => {
  assert.equal(loss.read(" 1.37 "), "1.37%");
  assert.equal(loss.read("5"), "5%");
  assert.equal(loss.read("1.37%"), "1.37%");
  assert.equal(queue.read("33"), "33 packets");
});

test("another unit is refused with the one that is meant", () => {
  assert.throws(() => loss.read("3 ms"), { message: "write it in %" });
  assert.throws(() => ber.read("1e-6 per bit"), { message: "write a number alone" });
  assert.equal(power.read("-18 dbm"), "-18 dBm");
});

test("what is out of range or no number is refused with what would be right", () => {
  assert.throws(() => loss.read("101"), { message: "it goes from 0% to 100%" });
  assert.throws(() => queue.read("0 packets"), { message: "it goes from 1 packets to 10000 packets" });
  assert.throws(() => power.read("dim"), { message: "write a number, as in -19 dBm" });
});

test("beyond the recorded values the slider stands at the nearer end", () => {
  assert.equal(loss.placeOf("40%"), 3);
  assert.equal(power.placeOf("-3 dBm"), 0);
  assert.equal(power.placeOf("-30 dBm"), 2);
  assert.equal(queue.placeOf("7 kB"), null);
});

test("seeds are one, several or a span", () => {
  assert.equal(seedsOf(" "), null);
  assert.deepEqual(seedsOf("4"), [4]);
  assert.deepEqual(seedsOf("2, 3,9, 2"), [2, 3, 9]);
  assert.deepEqual(seedsOf("1-3, 7"), [1, 2, 3, 7]);
  for (const wrong of ["-1", "3-1", "1.5", "one", "1,,2", "1-1000000", "1-15, 20-35"]) {
    assert.throws(() => seedsOf(wrong), RangeError, wrong);
  }
});
