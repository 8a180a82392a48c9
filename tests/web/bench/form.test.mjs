// The bench's pure modules by themselves.

import assert from "node:assert/strict";
import test from "node:test";
import { deflateRawSync } from "node:zlib";
import { asCode } from "../../../web/bench/as_code.mjs";
import { crc32 } from "../../../web/bench/crc32.mjs";
import { canonical, experimentOf } from "../../../web/bench/experiment.mjs";
import { endsOf, newForm, rolesOf, withShape } from "../../../web/bench/form.mjs";
import { isSealed, opened, sealed } from "../../../web/bench/link.mjs";
import { line, settings } from "../../../web/bench/options.mjs";
import { formOf } from "../../../web/bench/reading.mjs";
import { shifted, textOf, typedValue } from "../../../web/bench/units.mjs";
import { randomForm } from "./random_forms.mjs";

test("numbers are written with the unit that one would take, exactly", () => {
  for (const [value, quantity, text] of /** @type {const} */ ([
    [1e7, "rate", "10mbit"],
    [1_234_567, "rate", "1.234567mbit"],
    [0.01, "time", "10ms"],
    [1e-7, "time", "100ns"],
    [0.0137, "share", "1.37%"],
    [1e-9, "share", "0.0000001%"],
    [0, "share", "0%"],
    [2.5e7, "size", "25MB"],
    [1448, "whole", "1448"],
  ])) {
    assert.equal(textOf(value, quantity), text);
  }
  assert.equal(shifted(123, -5), "0.00123");
  assert.equal(shifted(1.5, 3), "1500");
});

test("what is typed goes to labkit as it is, but for numbers where it wants numbers", () => {
  assert.equal(typedValue(" 10 Mbit/s ", "rate"), "10 Mbit/s");
  assert.equal(typedValue("10", "rate"), "10"); // of what? labkit asks
  assert.equal(typedValue("0", "time"), 0);
  assert.equal(typedValue("0.01", "share"), 0.01);
  assert.equal(typedValue("1e999", "whole"), "1e999");
  assert.deepEqual(typedValue("3, 1 40", "wholes"), [3, 1, 40]);
});

test("settings are read from a line and written as one, or not at all", () => {
  const given = { target: "5ms", ecn: true, limit: 5, nat: false };
  assert.equal(line(given), "target=5ms, ecn, limit=5, nat=false");
  assert.deepEqual(settings("target=5ms, ecn, limit=5, nat=false"), given);
  assert.equal(line({ "a,b": 1 }), null);
  assert.equal(line({ a: "5" }), null); // would come back as a number
});

test("another network keeps the bottleneck's settings and sends flows between its own ends", () => {
  const form = newForm();
  form.links[1].forward.texts.rate = "3mbit";
  const other = withShape(form, "parking_lot", [3]);
  const roles = rolesOf(other);
  const rates = other.links.map(({ forward }) => forward.texts.rate);
  assert.deepEqual(new Set(rates.filter((_, i) => roles[i] === "bottleneck")), new Set(["3mbit"]));
  assert.deepEqual(new Set(rates.filter((_, i) => roles[i] === "access")), new Set(["100mbit"]));
  assert.deepEqual(
    other.flows.map(({ src, dst }) => `${src} ${dst}`),
    ["left right", "left1 right1", "left2 right2", "left3 right3"],
  );
  assert.equal(withShape(other, "pair", []).flows.length, 1);
});

test("the form is the same when its JSON is read again", () => {
  for (let seed = 0; seed < 100; seed++) {
    const json = experimentOf(randomForm(seed));
    const { form, beyond } = formOf(json);
    assert.deepEqual(beyond, []);
    assert.deepEqual(experimentOf(formOf(experimentOf(form)).form), experimentOf(form), `seed ${seed}`);
  }
});

test("whatever a JSON holds, reading names it, and throws nothing", () => {
  for (const json of [
    null,
    5,
    "x",
    [],
    { topology: 5 },
    { topology: { hosts: [5], links: [null] } },
    { flows: {} },
  ]) {
    assert.ok(formOf(json).beyond.length > 0, JSON.stringify(json));
    assert.match(asCode(/** @type {any} */ (json)), /from_json/);
  }
  const odd = JSON.parse(
    '{"__proto__": {"polluted": 1}, "flows": [{"kind": "__proto__", "src": "a", "dst": "b"}]}',
  );
  assert.ok(formOf(odd).beyond.length > 0);
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
});

test("CRC-32 is that of gzip", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
});

test("a link holds the experiment", async () => {
  for (let seed = 0; seed < 20; seed++) {
    const json = experimentOf(randomForm(seed));
    const fragment = await sealed(json);
    assert.match(fragment, /^#1\.[0-9a-f]{8}\.[\w-]+$/);
    assert.ok(isSealed(fragment) && fragment.length < 3000);
    assert.equal(canonical(await opened(fragment)), canonical(json));
  }
  assert.ok(!isSealed("#the-form"));
});

test("a link that is damaged, of another format, too long or no experiment is refused, and says why", async () => {
  const right = await sealed(experimentOf(newForm()));
  const [format, sum, data] = right.slice(1).split(".");
  const cases = /** @type {[string, RegExp][]} */ ([
    [right.slice(0, -4), /damaged/],
    [`#${format}.00000000.${data}`, /damaged/],
    [`#${format}.${sum}.${data}!`, /damaged/],
    [`#${format}.${sum}.`, /damaged/],
    [`#2.${sum}.${data}`, /format 2/],
    [`#${format}.${sum}.${"A".repeat(40_000)}`, /characters/],
    [await sealed(/** @type {any} */ ([])), /no fields/],
    [await sealed(/** @type {any} */ (nested(40))), /deeply/],
  ]);
  for (const [fragment, why] of cases) await assert.rejects(opened(fragment), why, fragment.slice(0, 60));
});

test("a small link that would become large is refused while it is unpacked", async () => {
  const bomb = { text: "a".repeat(255_000) };
  await opened(await sealed(bomb));
  const larger = { text: "a".repeat(300_000) };
  await assert.rejects(sealed(larger), /too large/);
  const packed = deflateRawSync(Buffer.alloc(20_000_000, "a")).toString("base64url");
  assert.ok(packed.length < 30_000);
  await assert.rejects(opened(`#1.00000000.${packed}`), /too large/);
});

/** @param {number} levels */
function nested(levels) {
  let value = {};
  for (let i = 0; i < levels; i++) value = { value };
  return value;
}

test("switches are in the form, and kept as they came", () => {
  const trunk = { kind: "switch", name: "s1", stp: true, vlan: { a: 10, s2: [10, 20] } };
  const json = {
    topology: {
      hosts: ["a", { name: "b" }, trunk, { kind: "switch", name: "s2", stp: false }],
      links: [
        { a: "a", b: "s1" },
        { a: "s1", b: "s2" },
        { a: "s2", b: "b" },
      ],
    },
    flows: [{ src: "a", dst: "b", size: "1MB" }],
  };
  const { form, beyond } = formOf(json);
  assert.deepEqual(beyond, []);
  assert.equal(form.shape.kind, "");
  assert.deepEqual(endsOf(form), ["a", "b"]);
  const made = /** @type {any} */ (experimentOf(form));
  assert.deepEqual(made.topology.hosts, ["a", "b", trunk, json.topology.hosts[3]]);
  assert.match(asCode(made), /Switch\("s1", stp=True, vlan=\{"a": 10, "s2": \[10, 20\]\}\)/);
  assert.match(asCode(made), /from labkit import .*Switch/);
  assert.equal(withShape(form, "pair", []).switches.size, 0);
  const odd = { topology: { hosts: [{ kind: "switch", name: "s", ports: 4 }] } };
  assert.deepEqual(formOf(odd).beyond, ["topology.hosts[0].ports"]);
});
