// A network in Python: by labkit's own function for its shape where that gives just this one, else host by host and
// link by link.

import { wayOf } from "./experiment.mjs";
import { LOSSES, ofKind } from "./fields.mjs";
import { rolesOf } from "./form.mjs";
import { call, literal } from "./python.mjs";
import { typedValue } from "./units.mjs";

/** @typedef {import("./experiment.mjs").Json} Json */
/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").LinkForm} LinkForm */
/** @typedef {import("./form.mjs").Role} Role */
/** @typedef {import("./python.mjs").Expression} Expression */
/** @typedef {[string, Expression][]} Named */

/**
 * @param {Form} form
 * @returns {Expression}
 */
export function networkCode(form) {
  return byShape(form) ?? linkByLink(form);
}

/**
 * @param {Form} form
 * @returns {Expression}
 */
function linkByLink({ hosts, links, switches }) {
  const nodes = hosts.map((name) => nodeCode(name, switches.get(name)));
  const joined = links.map((link) => call("Link", [literal(link.a), literal(link.b)], bothWays(link, false)));
  return call("Topology", joined.length ? [{ list: nodes }, { list: joined }] : [{ list: nodes }]);
}

/**
 * @param {string} name
 * @param {Record<string, unknown> | undefined} fields of a switch
 * @returns {Expression}
 */
function nodeCode(name, fields) {
  if (fields === undefined) return literal(name);
  const given = Object.entries(fields).filter(([, value]) => value !== false);
  return call(
    "Switch",
    [literal(name)],
    given.map(([field, value]) => [field, literal(value)]),
  );
}

/**
 * @param {Form} form
 * @returns {Expression | null} null: no function makes this
 */
function byShape(form) {
  const { kind, numbers } = form.shape;
  if (kind === "pair") return call("pair", [], bothWays(form.links[0], true));
  if (kind === "star" || kind === "tree") return allAlike(form);
  if (kind !== "dumbbell" && kind !== "parking_lot") return null;
  const roles = rolesOf(form);
  const of = (/** @type {Role} */ role) => form.links.filter((_, i) => roles[i] === role);
  const [hops, access] = [of("bottleneck"), of("access")];
  if (!alike(hops) || !alike(access)) return null;
  const around = accessCode(access[0], hops[0]);
  if (around === null) return null;
  const count = numbers[0] === 1 && kind === "dumbbell" ? [] : [literal(numbers[0])];
  return call(kind, count, [...bothWays(hops[0], true), ...around]);
}

/**
 * @param {Form} form
 * @returns {Expression | null}
 */
function allAlike({ shape, hosts, links }) {
  if (!alike(links)) return null;
  const settings = bothWays(links[0], false);
  if (shape.kind === "star") return call("star", hosts.slice(1).map(literal), settings);
  return call("tree", shape.numbers.map(literal), settings);
}

/** @param {readonly LinkForm[]} links */
function alike(links) {
  const said = links.map(({ a, b, ...settings }) => JSON.stringify(linkSaid(settings)));
  return said.every((one) => one === said[0]);
}

/** @param {Omit<LinkForm, "a" | "b">} link */
function linkSaid({ mtu, forward, backward }) {
  return [typedValue(mtu, "whole"), wayOf(forward), wayOf(backward)];
}

/**
 * What labkit's dumbbell and parking lot are told of the links around: nothing but a rate, with its queue of 1000
 * packets, and a delay, the same both ways; and the bottleneck's MTU.
 * @param {LinkForm} link
 * @param {LinkForm} bottleneck
 * @returns {Named | null}
 */
function accessCode(link, bottleneck) {
  const { rate, delay, queue, ...others } = wayOf(link.forward);
  const same = JSON.stringify(wayOf(link.forward)) === JSON.stringify(wayOf(link.backward));
  const usual = rate !== undefined && JSON.stringify(queue) === '{"kind":"pfifo","packets":1000}';
  const noRate = rate === undefined && queue === undefined && wayOf(bottleneck.forward).rate === undefined;
  if (!same || Object.keys(others).length || link.mtu.trim() !== bottleneck.mtu.trim()) return null;
  if (!usual && !(noRate && wayOf(bottleneck.backward).rate === undefined)) return null;
  /** @type {Named} */
  const named = [];
  if (rate !== undefined) named.push(["access_rate", literal(rate)]);
  if (delay !== undefined) named.push(["access_delay", literal(delay)]);
  return named;
}

/**
 * A link's settings as keywords: what holds both ways by itself, then what holds one way.
 * @param {LinkForm} link
 * @param {boolean} lossForward whether a loss by itself is one from a to b only
 * @returns {Named}
 */
function bothWays({ mtu, forward, backward }, lossForward) {
  const ways = [wayOf(forward), wayOf(backward)];
  /** @type {Named} */
  const named = [];
  /** @type {[Named, Named]} */
  const own = [[], []];
  for (const name of new Set(ways.flatMap(Object.keys))) {
    const [there, back] = ways.map((way) => way[name]);
    const both = JSON.stringify(there) === JSON.stringify(back);
    if (name === "loss" && lossForward) {
      if (there !== undefined) named.push([name, fieldCode(name, there)]);
      if (back !== undefined) own[1].push([name, fieldCode(name, back)]);
    } else if (both) named.push([name, fieldCode(name, there)]);
    else {
      if (there !== undefined) own[0].push([name, fieldCode(name, there)]);
      if (back !== undefined) own[1].push([name, fieldCode(name, back)]);
    }
  }
  if (mtu.trim()) named.push(["mtu", literal(typedValue(mtu, "whole"))]);
  if (own[0].length) named.push(["forward", { dict: own[0] }]);
  if (own[1].length) named.push(["backward", { dict: own[1] }]);
  return named;
}

/**
 * @param {string} name
 * @param {Json} value
 * @returns {Expression}
 */
function fieldCode(name, value) {
  if (name === "queue") return queueCode(/** @type {JsonObject} */ (value));
  if (name === "loss") return lossCode(/** @type {JsonObject} */ (value));
  return literal(value);
}

/** @param {JsonObject} queue */
function queueCode({ kind, options, ...limit }) {
  const [unit, value] = Object.entries(limit)[0] ?? [];
  if (options === undefined && unit === undefined) return literal(kind);
  if (options === undefined && kind === "pfifo" && Number.isInteger(value)) return literal(`${value}p`);
  if (options === undefined && kind === "bfifo" && typeof value === "string" && /^\d/.test(value)) {
    return literal(value);
  }
  /** @type {Named} */
  const named = unit === undefined ? [] : [[unit, literal(value)]];
  if (options !== undefined) named.push(["options", literal(options)]);
  return call("Queue", [literal(kind)], named);
}

/** @param {JsonObject} loss */
function lossCode({ kind, ...fields }) {
  if (kind === "random" && typeof fields.p === "string") return literal(fields.p);
  const named = Object.entries(fields).map(
    ([name, value]) => /** @type {[string, Expression]} */ ([name, literal(value)]),
  );
  return call(ofKind(LOSSES, String(kind))?.python ?? String(kind), [], named);
}
