// An experiment in a sentence or two, and what a run of it is called.

import { changes } from "./changes.mjs";
import { linkWords } from "./drawing.mjs";
import { mainLink, shapeNamed } from "./form.mjs";
import { ccName, spoken } from "./names.mjs";
import { formOf } from "./reading.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").FlowForm} FlowForm */

const MOST_FLOWS = 3;

/**
 * @param {Form} form
 * @returns {string}
 */
export function summary(form) {
  const { shape, hosts, links, flows, run } = form;
  const name = shape.kind ? shapeNamed(shape.kind).label.replace(/ \(.*/, "") : "A network";
  const narrow = links[mainLink(form)];
  const line = narrow ? `; ${narrow.a} – ${narrow.b}: ${linkWords(narrow) || "a bare wire"}` : "";
  const said = flows.slice(0, MOST_FLOWS).map(flowSummary);
  const more = flows.length > MOST_FLOWS ? `, and ${flows.length - MOST_FLOWS} more` : "";
  const traffic = said.length ? `${said.join(", ")}${more}` : "no traffic";
  const until = run.duration?.trim() ? `, ${spoken(run.duration)} at most` : "";
  return `${name} of ${hosts.length} hosts${line}. ${traffic}${until}. Seed ${run.seed?.trim() || "1"}.`;
}

/** @param {FlowForm} flow */
function flowSummary({ kind, src, dst, texts }) {
  const what = { tcp: `TCP ${ccName(texts.cc)}`, udp: `UDP ${spoken(texts.rate)}` }[kind] ?? kind;
  return `${what.trim()} from ${src} to ${dst}`;
}

/**
 * Whether two experiments have the same hosts, joined alike: only then can their runs be compared.
 * @param {JsonObject} one
 * @param {JsonObject} other
 */
export function sameNetwork(one, other) {
  const [a, b] = [one, other].map((json) => {
    const { hosts, links } = formOf(json).form;
    return JSON.stringify([hosts, links.map((link) => [link.a, link.b])]);
  });
  return a === b;
}

/**
 * What a run is called: as the experiment that it began with, and what is otherwise there; else by what is otherwise than
 * in the run before; else by what it is.
 * @param {JsonObject} json
 * @param {{title: string, json: JsonObject} | null} begun
 * @param {JsonObject | null} before
 */
export function runName(json, begun, before) {
  const { form, beyond } = formOf(json);
  const of = (/** @type {JsonObject} */ other) => {
    const there = formOf(other);
    const isComparable = beyond.length + there.beyond.length === 0 && sameNetwork(json, other);
    return isComparable ? changes(there.form, form) : null;
  };
  const since = begun && of(begun.json);
  if (begun && since !== null) return since ? `${begun.title}, with ${since}` : begun.title;
  const last = before && of(before);
  if (last === null || last === undefined) return summary(form);
  return last ? last[0].toUpperCase() + last.slice(1) : "The same again";
}
