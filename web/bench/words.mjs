// An experiment in a sentence or two, and what differs between two of them.

import { linkWords } from "./drawing.mjs";
import { canonical } from "./experiment.mjs";
import { shapeNamed } from "./form.mjs";

/** @typedef {import("./experiment.mjs").Json} Json */
/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */

const MOST_FLOWS = 3;
const MOST_CHANGES = 3;

/**
 * @param {Form} form
 * @returns {string}
 */
export function summary(form) {
  const { shape, hosts, links, flows, run } = form;
  const name = shape.kind ? shapeNamed(shape.kind).label.replace(/ \(.*/, "") : "A network";
  const narrow = links.find((_, i) => links.length === 1 || i === bottleneck(form)) ?? links[0];
  const line = narrow ? `; ${narrow.a} – ${narrow.b}: ${linkWords(narrow) || "a bare wire"}` : "";
  const said = flows.slice(0, MOST_FLOWS).map(flowSummary);
  const more = flows.length > MOST_FLOWS ? `, and ${flows.length - MOST_FLOWS} more` : "";
  const traffic = said.length ? `${said.join(", ")}${more}` : "no traffic";
  const until = run.duration?.trim() ? `, ${run.duration.trim()} at most` : "";
  return `${name} of ${hosts.length} hosts${line}. ${traffic}${until}. Seed ${run.seed?.trim() || "1"}.`;
}

/** @param {Form} form */
function bottleneck({ shape }) {
  if (!shape.kind) return 0;
  const { joints } = shapeNamed(shape.kind).make(...shape.numbers);
  return Math.max(
    0,
    joints.findIndex(({ role }) => role === "bottleneck"),
  );
}

/** @param {FlowForm} flow */
function flowSummary({ kind, src, dst, texts }) {
  const what =
    kind === "tcp" ? `TCP ${texts.cc || "cubic"}` : kind === "udp" ? `UDP ${texts.rate ?? ""}` : kind;
  return `${what.trim()} from ${src} to ${dst}`;
}

/**
 * What is otherwise in an experiment than in the one before: "flows[0].cc: bbr".
 * @param {JsonObject} before
 * @param {JsonObject} now
 * @returns {string} "" if they are the same
 */
export function changes(before, now) {
  const [old, fresh] = [leaves(before), leaves(now)];
  const found = [];
  for (const [path, value] of fresh)
    if (old.get(path) !== value) found.push(`${readable(path, now)} ${value}`);
  for (const path of old.keys()) if (!fresh.has(path)) found.push(`without ${readable(path, before)}`);
  const more = found.length > MOST_CHANGES ? `, and ${found.length - MOST_CHANGES} more changes` : "";
  return found.slice(0, MOST_CHANGES).join(", ") + more;
}

/**
 * A path as one would say it: "left → right loss p", "flow 1 cc".
 * @param {string} path
 * @param {JsonObject} json
 */
function readable(path, json) {
  const { links } = /** @type {{links?: Json[]}} */ (json.topology ?? {});
  const named = path.replace(/^topology\.links\[(\d+)\]\.(forward|backward)?/, (all, number, way) => {
    const link = /** @type {JsonObject | undefined} */ (
      Array.isArray(links) ? links[Number(number)] : undefined
    );
    if (!link) return all;
    return way === "backward" ? `${link.b} → ${link.a}` : `${link.a} → ${link.b}`;
  });
  return named.replace(/^flows\[(\d+)\]/, (_, number) => `flow ${Number(number) + 1}`).replaceAll(".", " ");
}

/**
 * Every value by its path.
 * @param {Json} json
 * @returns {Map<string, string>}
 */
function leaves(json) {
  /** @type {Map<string, string>} */
  const found = new Map();
  /** @type {(value: Json, path: string) => void} */
  const walk = (value, path) => {
    if (Array.isArray(value) && value.some((one) => one !== null && typeof one === "object")) {
      value.forEach((one, i) => {
        walk(one, `${path}[${i}]`);
      });
    } else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [name, one] of Object.entries(value)) walk(one, path ? `${path}.${name}` : name);
    } else found.set(path, typeof value === "string" ? value : canonical(value));
  };
  walk(json, "");
  return found;
}
