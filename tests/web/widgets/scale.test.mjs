// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { Scale } from "../../../web/widgets/scale.mjs";
import { seedsOf } from "../../../web/widgets/seeds.mjs";

const loss = new Scale(["0%", "0.5%", "1%", "5%"], {
  unit: "%",
  low: 0,
  high: 100,
  numbers: [0, 0.5, 1, 5],
  whole: false,
  steps: { over: 100, by: [0, 25, 25, 25, 25, 200, 200] },
});
const ber = new Scale(["1e-7", "1e-6", "1e-5"], {
  unit: "",
  low: 0,
  high: 1,
  numbers: [1e-7, 1e-6, 1e-5],
  whole: false,
  steps: [1e-7, 3.16e-7, 1e-6, 3.16e-6, 1e-5],
});
const power = new Scale(["-17 dBm", "-18.4 dBm", "-19 dBm"], {
  unit: "dBm",
  low: -24,
  high: -12,
  numbers: [-17, -18.4, -19],
  whole: false,
  steps: { over: 10, by: [-170, -7, -7, -3, -3] },
});
const queue = new Scale(["5 packets", "20 packets", "160 packets"], {
  unit: "packets",
  low: 1,
  high: 10000,
  numbers: [5, 20, 160],
  whole: true,
  steps: { over: 1, by: [5, 5, 10, 37, 103] },
});

test("recorded values are among a slider's stops, and are written as they were recorded", () => {
  for (const scale of [loss, ber, power, queue]) {
    scale.texts.forEach((text, i) => {
      assert.equal(scale.text(scale.recorded[i]), text);
      assert.equal(scale.placeOf(text), scale.recorded[i]);
    });
  }
});

test("between two recorded values it stops as well", () => {
  assert.equal(loss.text(3), "0.75%");
  assert.equal(ber.text(1), "3.16e-7");
  assert.equal(power.text(1), "-17.7 dBm");
  assert.equal(queue.text(1), "10 packets");
  for (const scale of [loss, ber, power, queue])
    scale.steps.forEach((_, place) => {
      assert.equal(scale.placeOf(scale.text(place)), place);
    });
});

test("what is typed between two stops stands at the nearer one", () => {
  assert.equal(loss.placeOf("0.7%"), 3);
  assert.equal(queue.placeOf("30 packets"), 2);
});

test("counts are whole", () => {
  assert.throws(() => queue.read("7.5"), { name: "RangeError", message: "write a whole number" });
});

test("a bare number gets the unit, a recorded value its text", () => {
  assert.equal(loss.read(" 1.37 "), "1.37%");
  assert.equal(loss.read("5"), "5%");
  assert.equal(loss.read("1.37%"), "1.37%");
  assert.equal(loss.read("1,37"), "1.37%");
  assert.equal(loss.read("0.12345678"), "0.123457%"); // what is run, and what is said of it
  assert.equal(power.read("−18"), "-18 dBm");
  assert.equal(queue.read("33"), "33 packets");
});

test("a unit may be typed short or written out, whichever the knob has", () => {
  const short = new Scale(["20p", "40p"], { unit: "p", low: 1, high: 400, numbers: [20, 40], whole: true });
  assert.equal(short.read("40 packets"), "40p");
  assert.equal(short.read("33\u00a0packets"), "33p");
  assert.equal(short.read("1 packet"), "1p");
  assert.equal(short.read("33p"), "33p");
  assert.throws(() => short.read("33 ms"), { message: "write it in packets" });
});

test("another unit of the same quantity is taken", () => {
  const delay = new Scale(["2.5ms", "40ms"], {
    unit: "ms",
    low: 0.25,
    high: 20000,
    numbers: [2.5, 40],
    whole: false,
  });
  assert.equal(delay.read("10s"), "10000ms");
  assert.equal(delay.read("0.04 s"), "40ms");
  assert.equal(delay.read("700us"), "0.7ms");
  assert.equal(delay.read("700 µs"), "0.7ms");
  assert.throws(() => delay.read("1 mbit"), { message: "write it in ms" });
  const rate = new Scale(["2mbit", "5mbit"], {
    unit: "mbit",
    low: 0,
    high: 50,
    numbers: [2, 5],
    whole: false,
  });
  assert.equal(rate.read("500 kbit/s"), "0.5mbit");
  assert.equal(rate.read("3 Mbit/s"), "3mbit");
});

test("another unit is refused with the one that is meant", () => {
  assert.throws(() => loss.read("3 ms"), { message: "write it in %" });
  assert.throws(() => ber.read("1e-6 per bit"), { message: "write a number alone" });
  assert.equal(power.read("-18 dbm"), "-18 dBm");
});

test("what is out of range or no number is refused with what would be right", () => {
  assert.throws(() => loss.read("101"), { message: "it goes from 0\u00a0% to 100\u00a0%" });
  assert.throws(() => queue.read("0 packets"), {
    message: "it goes from 1\u00a0packet to 10000\u00a0packets",
  });
  assert.throws(() => queue.read("1 000"), { message: "write a number, as in 160\u00a0packets" });
  assert.throws(() => power.read("dim"), { message: "write a number, as in -19\u00a0dBm" });
});

test("beyond the recorded values the slider stands at the nearer end", () => {
  assert.equal(loss.placeOf("40%"), 6);
  assert.equal(power.placeOf("-3 dBm"), 0);
  assert.equal(power.placeOf("-30 dBm"), 4);
  assert.equal(queue.placeOf("7 kB"), null);
});

test("seeds are one, several or a span", () => {
  assert.equal(seedsOf(" "), null);
  assert.deepEqual(seedsOf("4"), [4]);
  assert.deepEqual(seedsOf("2, 3,9, 2"), [2, 3, 9]);
  assert.deepEqual(seedsOf("1-3, 7"), [1, 2, 3, 7]);
  assert.deepEqual(seedsOf("1,,2,"), [1, 2]);
  for (const wrong of ["-1", "3-1", "1.5", "one", "1-1000000", "1-15, 20-35"]) {
    assert.throws(() => seedsOf(wrong), RangeError, wrong);
  }
});
