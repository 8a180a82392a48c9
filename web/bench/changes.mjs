// What differs between two experiments of one network, in a reader's words: "BBR instead of CUBIC", "delay 10 ms → 50 ms".

import { FLOWS, LOSSES, ofKind, RUN_FIELDS, WAY_FIELDS } from "./fields.mjs";
import { mainLink } from "./form.mjs";
import { ccName, lossName, spoken } from "./names.mjs";

/** @typedef {import("./fields.mjs").Field} Field */
/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */
/** @typedef {import("./form.mjs").LossForm} LossForm */
/** @typedef {import("./form.mjs").QueueForm} QueueForm */
/** @typedef {import("./form.mjs").Texts} Texts */
/** @typedef {import("./form.mjs").WayForm} WayForm */

const MOST = 3;

/**
 * @param {Form} before
 * @param {Form} now of the same hosts and links
 * @returns {string} "" if they are the same
 */
export function changes(before, now) {
  const found = [
    ...ofLinks(before, now),
    ...ofFlows(before.flows, now.flows),
    ...ofTexts(RUN_FIELDS, before.run, now.run),
    ...ofLines(before.sysctls, now.sysctls),
  ];
  const recorded = (/** @type {Form} */ { probes, capture }) => JSON.stringify([probes, capture]);
  if (found.length === 0 && recorded(before) !== recorded(now)) return "other things recorded";
  const more = found.length > MOST ? `, and ${found.length - MOST} more changes` : "";
  return found.slice(0, MOST).join(", ") + more;
}

/**
 * A change that several links or directions have in common is said once.
 * @param {Form} before
 * @param {Form} now
 */
function ofLinks(before, now) {
  /** @type {Map<string, {link: number, way: "forward" | "backward"}[]>} */
  const places = new Map();
  now.links.forEach((link, i) => {
    for (const way of /** @type {const} */ (["forward", "backward"]))
      for (const said of ofWay(before.links[i][way], link[way]))
        places.set(said, [...(places.get(said) ?? []), { link: i, way }]);
  });
  const main = mainLink(now);
  const mtus = now.links
    .filter(({ mtu }, i) => mtu.trim() !== before.links[i].mtu.trim())
    .map(({ a, b, mtu }) => `MTU ${mtu.trim() || "1500"} between ${a} and ${b}`);
  return [...[...places].map(([said, at]) => said + whereOf(at)), ...mtus];

  /** @param {{link: number, way: string}[]} at */
  function whereOf(at) {
    const links = new Set(at.map(({ link }) => link));
    if (links.size > 1) return ` on ${links.size} links`;
    const [{ link, way }] = at;
    if (link === main && (at.length > 1 || way === "forward")) return "";
    const { a, b } = now.links[link];
    if (at.length > 1) return ` between ${a} and ${b}`;
    return way === "forward" ? ` from ${a} to ${b}` : ` from ${b} to ${a}`;
  }
}

/**
 * @param {WayForm} before
 * @param {WayForm} now
 */
function ofWay(before, now) {
  return [
    ...ofTexts(WAY_FIELDS, before.texts, now.texts),
    ...ofQueue(before.queue, now.queue),
    ...ofLoss(before.loss, now.loss),
  ];
}

/**
 * @param {QueueForm} before
 * @param {QueueForm} now
 */
function ofQueue(before, now) {
  const name = (/** @type {QueueForm} */ { kind }) => kind || "the usual queue";
  if (before.kind !== now.kind) return [`${name(now)} instead of ${name(before)}`];
  const limit = (/** @type {QueueForm} */ queue) =>
    /^\d+p?$/.test(queue.limit.trim()) ? `${Number.parseInt(queue.limit, 10)} packets` : spoken(queue.limit);
  return [
    ...changed("queue", limit(before), limit(now)),
    ...changed(`${now.kind}’s options`, before.options.trim(), now.options.trim()),
  ];
}

/**
 * @param {LossForm} before
 * @param {LossForm} now
 */
function ofLoss(before, now) {
  if (before.kind === now.kind) {
    const fields = ofKind(LOSSES, now.kind)?.fields ?? [];
    if (now.kind === "random") return changed("loss", spoken(before.texts.p), spoken(now.texts.p));
    return ofTexts(fields, before.texts, now.texts);
  }
  if (!now.kind) return ["no loss"];
  return [`${lossName(now)}${before.kind ? ` instead of ${lossName(before)}` : ""}`];
}

/**
 * @param {readonly FlowForm[]} before
 * @param {readonly FlowForm[]} now
 */
function ofFlows(before, now) {
  const both = now.slice(0, before.length);
  const each = both.map((flow, i) => ofFlow(before[i], flow));
  const isCommon = (/** @type {string} */ said) => each.every((one) => one.includes(said));
  const common = (each[0] ?? []).filter(isCommon);
  const single = each.flatMap((one, i) =>
    one.filter((said) => !isCommon(said)).map((said) => `${said} in flow ${i + 1}`),
  );
  const more = now
    .slice(before.length)
    .map(({ kind }) => (kind === "pings" ? "pings" : `another ${kind.toUpperCase()} flow`));
  const fewer = before.slice(now.length).map((_, i) => `without flow ${now.length + i + 1}`);
  return [...common, ...single, ...more, ...fewer];
}

/**
 * @param {FlowForm} before
 * @param {FlowForm} now
 */
function ofFlow(before, now) {
  if (before.kind !== now.kind) return [`${now.kind.toUpperCase()} instead of ${before.kind.toUpperCase()}`];
  const { cc: was = "", ...old } = before.texts;
  const { cc: is = "", ...fresh } = now.texts;
  const ends = before.src === now.src && before.dst === now.dst ? [] : [`from ${now.src} to ${now.dst}`];
  const control = ccName(was) === ccName(is) ? [] : [`${ccName(is)} instead of ${ccName(was)}`];
  return [...control, ...ends, ...ofTexts(ofKind(FLOWS, now.kind)?.fields ?? [], old, fresh)];
}

/**
 * @param {readonly Field[]} fields
 * @param {Texts} before
 * @param {Texts} now
 */
function ofTexts(fields, before, now) {
  return fields.flatMap(({ name, label, choices, unless, quantity }) => {
    const text = (/** @type {Texts} */ texts) => texts[name]?.trim() || (choices ? String(unless) : "");
    const [was, is] = [text(before), text(now)];
    if (choices) {
      const shown = choices.find(([value]) => value === is)?.[1] ?? choices[0][1];
      return was === is ? [] : [`${label} ${shown}`];
    }
    const plain = quantity === "text" || quantity === "wholes";
    const word = /^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label;
    return plain ? changed(word, was, is) : changed(word, spoken(was), spoken(is));
  });
}

/**
 * @param {string} before
 * @param {string} now
 */
function ofLines(before, now) {
  const lines = (/** @type {string} */ text) =>
    text
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean);
  const [old, fresh] = [lines(before), lines(now)];
  return [
    ...fresh.filter((one) => !old.includes(one)),
    ...old.filter((one) => !fresh.includes(one)).map((one) => `without ${one}`),
  ];
}

/**
 * @param {string} what
 * @param {string} was
 * @param {string} is
 * @returns {string[]} of one phrase or none
 */
function changed(what, was, is) {
  if (was === is) return [];
  if (!is) return [`no ${what}`];
  return [was ? `${what} ${was} → ${is}` : `${what} ${is}`];
}
