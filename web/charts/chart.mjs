// A figure's drawing: the template that labkit.charts made of it (templates.mjs), with what the figure's data has.

import { MOST_NAMED, NAMES, TEMPLATES } from "./templates.mjs";

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
  /** @type {(part: Json) => Set<unknown>} */
  const valuesOf = ({ field }) => new Set(rows.filter((row) => field in row).map((row) => row[field]));
  const { data: shared, ...template } = TEMPLATES[name];
  const layer = template.layer.flatMap((/** @type {Json} */ one) => named({ data: shared, ...one }));
  return filled(layer.length > 1 ? { ...template, layer } : TEMPLATES[name]);

  /** @param {Json} whole */
  function filled(whole) {
    return JSON.parse(JSON.stringify(whole), (key, part) => {
      if (key === "domainMin") return start;
      if (typeof part === "string") return said(part, words);
      return part?.scale && part.legend !== undefined ? channel(part, valuesOf(part)) : part;
    });
  }

  /**
   * Curves, and the names of a few beside them in place of a legend.
   * @param {Json} layer
   */
  function named(layer) {
    const { encoding } = layer;
    const series = encoding.color;
    if (!series?.scale || series.scale.domain) return [layer];
    const many = valuesOf(series).size;
    if (many < 2 || many > MOST_NAMED) return [layer];
    const bare = (/** @type {Json} */ part) => ({ ...part, legend: null });
    const curves = {
      ...layer,
      encoding: { ...encoding, color: bare(series), strokeDash: bare(encoding.strokeDash) },
    };
    const { field: value, title } = encoding.y;
    const own = {
      name: layer.name.replace(/-lines$/, ""),
      data: layer.data.name,
      value,
      title,
      series: series.field,
    };
    return [
      curves,
      JSON.parse(JSON.stringify(NAMES), (_, part) => (typeof part === "string" ? said(part, own) : part)),
    ];
  }
}

/**
 * @param {string} text with $words
 * @param {Readonly<Record<string, string | number | undefined>>} words
 */
function said(text, words) {
  return text.replace(/\$(\w+)/g, (_, word) => String(words[word]));
}

/**
 * A channel that may have a legend, of the values that its field has in the data. If its scale has no domain, these
 * are it: they take the range in turn, and a single one needs no legend. Else the rest is left out, of the legend if
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
  if (legend === null) return whole;
  const places = [...scale.domain.keys()].filter((i) => there.has(scale.domain[i]));
  const [domain, range] = [scale.domain, scale.range].map((all) => places.map((i) => all[i]));
  if (legend.values) return { ...whole, legend: domain.length > 0 ? { ...legend, values: domain } : null };
  return { ...whole, scale: { domain, range } };
}
