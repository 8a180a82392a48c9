// What the bench says of experiments, of labkit's messages, and of packets.

import assert from "node:assert/strict";
import test from "node:test";
import { cellText } from "../../../web/bench/cells.mjs";
import { changes } from "../../../web/bench/changes.mjs";
import { experimentOf } from "../../../web/bench/experiment.mjs";
import { fatesOf } from "../../../web/bench/fates.mjs";
import { candidates, faultsIn } from "../../../web/bench/faults.mjs";
import { flow, newForm, withShape } from "../../../web/bench/form.mjs";
import { PRESETS } from "../../../web/bench/presets.mjs";
import { formOf } from "../../../web/bench/reading.mjs";
import { faultOf } from "../../../web/bench/units.mjs";
import { runName, sameNetwork, summary } from "../../../web/bench/words.mjs";
import { each, floats, ints, Table } from "../../../web/decode/table.mjs";

test("an experiment is told in a sentence, in the units of the book's text", () => {
  const form = withShape(newForm(), "pair", []);
  assert.equal(
    summary(form),
    "Pair of 2 hosts; left – right: 10 Mbit/s, 10 ms. TCP CUBIC from left to right. Seed 1.",
  );
});

/**
 * What differs after a change of the form, in words.
 * @param {(form: import("../../../web/bench/form.mjs").Form) => void} change
 */
function after(change, form = withShape(newForm(), "dumbbell", [1])) {
  const before = structuredClone(form);
  change(form);
  return changes(before, form);
}

test("a change is told in words, once for all links and directions that it is the same on", () => {
  const both = (/** @type {any} */ { links }, /** @type {(way: any) => void} */ set) => {
    set(links[1].forward);
    set(links[1].backward);
  };
  /** @type {[(form: any) => void, string][]} */
  const told = [
    [() => {}, ""],
    [({ flows }) => Object.assign(flows[0].texts, { cc: "bbr" }), "BBR instead of CUBIC"],
    [(form) => both(form, ({ texts }) => Object.assign(texts, { delay: "50ms" })), "delay 10 ms → 50 ms"],
    [
      ({ links }) => Object.assign(links[1].forward, { loss: { kind: "random", texts: { p: "5%" } } }),
      "5 % loss",
    ],
    [
      ({ links }) => Object.assign(links[1].backward.texts, { rate: "1mbit" }),
      "rate 10 Mbit/s → 1 Mbit/s from r2 to r1",
    ],
    [({ links }) => Object.assign(links[0].forward.texts, { jitter: "2ms" }), "jitter 2 ms from left to r1"],
    [
      ({ links }) => {
        for (const link of links)
          Object.assign(link.forward, { queue: { kind: "fq_codel", limit: "", options: "" } });
      },
      "fq_codel instead of pfifo on 3 links",
    ],
    [
      ({ links }) => Object.assign(links[1].forward.queue, { limit: "1000" }),
      "queue 100 packets → 1000 packets",
    ],
    [({ flows }) => flows.push(flow("left", "right", "pings")), "pings"],
    [({ run }) => Object.assign(run, { seed: "7" }), "seed 1 → 7"],
    [(form) => Object.assign(form, { sysctls: "net.ipv4.tcp_sack=0" }), "net.ipv4.tcp_sack=0"],
    [(form) => Object.assign(form, { capture: [] }), "other things recorded"],
  ];
  for (const [change, words] of told) assert.equal(after(change), words);
  const many = after((form) => {
    Object.assign(form.run, { seed: "7", duration: "5s", time_limit: "1m", sample_interval: "50ms" });
  });
  assert.match(many, /, and 1 more changes?$/);
});

test("a run is called as what it began with, and what is otherwise", () => {
  const { title, experiment } = PRESETS[5];
  const json = experimentOf(formOf(experiment).form);
  const begun = { title, json: experiment };
  assert.equal(runName(json, begun, null), "BBR beside CUBIC");
  const lossy = formOf(experiment).form;
  lossy.links[2].forward.loss = { kind: "random", texts: { p: "5%" } };
  assert.equal(runName(experimentOf(lossy), begun, json), "BBR beside CUBIC, with 5 % loss");
  assert.equal(runName(experimentOf(lossy), null, json), "5 % loss");
  assert.equal(runName(json, null, json), "The same again");
  const other = experimentOf(withShape(newForm(), "pair", []));
  assert.match(runName(other, begun, json), /^Pair of 2 hosts/);
  assert.equal(sameNetwork(other, json), false);
});

test("a field says what is wrong with its text, and what to write", () => {
  assert.equal(faultOf("fast", "rate"), "not a rate: write 10mbit");
  assert.equal(faultOf("10", "rate"), "'10' has no unit: write 10mbit");
  assert.equal(faultOf("10xbit", "rate", "2mbit").slice(0, 36), "unknown unit 'xbit': write 2mbit (un");
  assert.equal(faultOf("5", "share"), "a probability is at most 1: write 5%");
  assert.equal(faultOf("one", "whole", "1"), "not a whole number: write 1");
  for (const [text, quantity] of /** @type {const} */ ([
    ["", "rate"],
    ["10 Mbit", "rate"],
    ["0", "time"],
    ["0.05", "share"],
    ["5p", "packets"],
  ]))
    assert.equal(faultOf(text, quantity), "");
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
  assert.deepEqual(
    faults.map(({ said }) => said),
    ["red has no such option", "no such one", "nothing", "something else: of no field"],
  );
  const [odd] = faultsIn(`seed='a: b\\'c': must be an integer (link left-right)`);
  assert.equal(odd.said, "must be an integer");
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
