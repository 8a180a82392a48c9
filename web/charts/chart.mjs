// A figure's drawing: the template that labkit.charts made of it (templates.mjs), with what the figure's data has.

import { TEMPLATES } from "./templates.mjs";

/** @typedef {import("./figure.mjs").Json} Json */
/** @typedef {import("./figure.mjs").Row} Row */

/**
 * @param {keyof typeof TEMPLATES} name of the figure
 * @param {Readonly<Record<string, readonly Row[]>>} data
 * @param {{start?: number} & Record<string, string | number | undefined>} [given] start: where the axis of time begins (s);
 *   others: what the template has as $word
 * @returns {Json}
 */
export function chartOf(name, data, { start = 0, ...words } = {}) {
  const rows = Object.values(data).flat();
  return JSON.parse(JSON.stringify(TEMPLATES[name]), (key, part) => {
    if (key === "domainMin") return start;
    if (typeof part === "string") return part.replace(/\$(\w+)/g, (_, word) => String(words[word]));
    if (!part?.legend || !part.scale) return part;
    return channel(part, new Set(rows.filter((row) => part.field in row).map((row) => row[part.field])));
  });
}

/**
 * A channel with a legend, of the values that its field has in the data. If its scale has no domain, these are
 * it: they take the range in turn, and a single one needs no legend. Else the rest is left out, of the legend if
 * that lists `values`, or of the scale.
 * @param {Json} whole
 * @param {ReadonlySet<unknown>} there
 * @returns {Json}
 */
function channel(whole, there) {
  const { legend, scale } = whole;
  if (scale.domain === undefined) {
    const domain = [...there];
    const range = domain.map((_, i) => scale.range[i % scale.range.length]);
    return { ...whole, legend: domain.length > 1 ? legend : null, scale: { domain, range } };
  }
  const places = [...scale.domain.keys()].filter((i) => there.has(scale.domain[i]));
  const [domain, range] = [scale.domain, scale.range].map((all) => places.map((i) => all[i]));
  if (legend.values) return { ...whole, legend: domain.length > 0 ? { ...legend, values: domain } : null };
  return { ...whole, scale: { domain, range } };
}
