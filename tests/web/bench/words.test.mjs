// What the bench says of experiments, of labkit's messages, and of packets.

import assert from "node:assert/strict";
import test from "node:test";
import { cellText } from "../../../web/bench/cells.mjs";
import { experimentOf } from "../../../web/bench/experiment.mjs";
import { fatesOf } from "../../../web/bench/fates.mjs";
import { candidates, faultsIn } from "../../../web/bench/faults.mjs";
import { newForm, withShape } from "../../../web/bench/form.mjs";
import { changes, summary } from "../../../web/bench/words.mjs";
import { each, floats, ints, Table } from "../../../web/decode/table.mjs";

test("an experiment is told in a sentence, and what is otherwise in another", () => {
  const form = withShape(newForm(), "pair", []);
  assert.equal(
    summary(form),
    "Pair of 2 hosts; left – right: 10mbit, 10ms. TCP cubic from left to right. Seed 1.",
  );
  const before = experimentOf(form);
  form.flows[0].texts.cc = "bbr";
  form.links[0].backward.loss = { kind: "random", texts: { p: "2%" } };
  assert.equal(
    changes(before, experimentOf(form)),
    "right → left loss kind random, right → left loss p 2%, flow 1 cc bbr",
  );
  assert.equal(changes(before, before), "");
});

test("labkit's messages name their fields", () => {
  const message =
    "topology.links[0].forward.queue.target: red has no such option\nflows[1].cc='renno': no such one\n" +
    "topology: nothing\nsomething else: of no field";
  const faults = faultsIn(message);
  assert.deepEqual(
    faults.map(({ path }) => path),
    ["topology.links[0].forward.queue.target", "flows[1].cc", "topology", ""],
  );
  assert.equal(faults.map(({ text }) => text).join("\n"), message);
  const places = candidates("topology.links[0].forward.queue.target");
  assert.equal(places[0], "topology.links[0].forward.queue.target");
  assert.ok(places.indexOf("topology.links[0].forward.queue.options") < places.indexOf("topology"));
  assert.deepEqual(candidates("seed"), ["seed"]);
});

test("a segment is sent again if its first byte had passed; a loss is the ledger's", () => {
  const packets = new Table({
    time_s: floats([0, 0, 2, 3, 4]),
    interface: each(["eth0", "eth0", "eth0", "eth0", "eth0"]),
    direction: each(["out", "out", "in", "out", "out"]),
    flow: each(["f", "f", "f", "f", null]),
    way: each(["data", "data", "ack", "data", null]),
    protocol: each(["tcp", "tcp", "tcp", "tcp", "udp"]),
    seq: ints([1, 1001, 1, 1, 1]),
    ack: ints([1, 1, 1001, 1, 1]),
    payload: ints([1000, 1000, 0, 1000, 1000]),
  });
  const ledger = new Table({
    sent_s: floats([0]),
    seq: ints([1]),
    payload: ints([1000]),
    flow: each(["f"]),
    way: each(["data"]),
    cause: each(["wire loss"]),
  });
  const { again, lost } = fatesOf(packets, ledger);
  assert.deepEqual([...again], [0, 0, 0, 1, 0]);
  assert.deepEqual(lost, ["wire loss", null, null, null, null]);
  assert.deepEqual(fatesOf(packets, null).lost, [null, null, null, null, null]);
});

test("cells are short and say what is missing", () => {
  assert.deepEqual([null, true, 3, 0.1 + 0.2, 1.5e-9, "a"].map(cellText), [
    "–",
    "yes",
    "3",
    "0.3",
    "1.50e-9",
    "a",
  ]);
});
