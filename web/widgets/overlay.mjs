// @ts-check
/* Several runs in one Vega-Lite chart: the current one as it is, earlier ones behind it in dashed greys. Works on any
 * chart that can be layered, and knows nothing of networks. */

/** @typedef {import("./points.mjs").Json} Json */

/** How the lines of earlier runs look, the latest first. */
export const GREYS = ["#767676", "#949494"];
export const DASHES = [
  [6, 3],
  [2, 3],
];
const CONCAT = ["vconcat", "hconcat", "concat"];
const FACETS = ["row", "column", "facet"];
const COLOURED = [
  "color",
  "fill",
  "stroke",
  "shape",
  "strokeDash",
  "opacity",
  "fillOpacity",
  "strokeOpacity",
];
const INNER = ["mark", "layer", "encoding", "transform", "data", "params", "resolve", "projection"];
const LINES = ["line", "trail", "rule"];
const FILLED = ["bar", "area", "rect", "arc"];
const POINTS = ["point", "circle", "square", "tick"];
const SHAPE = ["interpolate", "orient", "clip"];

/**
 * Facets and repeats cannot be layered.
 * @param {Json} spec
 * @returns {boolean}
 */
export function canOverlay(spec) {
  if (["facet", "repeat", "spec"].some((key) => key in spec)) return false;
  if (FACETS.some((channel) => channel in (spec.encoding ?? {}))) return false;
  return [...CONCAT, "layer"].every((key) => (spec[key] ?? []).every(canOverlay));
}

/**
 * The chart of some runs, the current one first, and its data.
 * @param {readonly {chart?: Json, data?: Record<string, Json[]>}[]} points
 */
export function together(points) {
  const [chart, ...earlier] = points.map((point) => point.chart ?? {});
  const spec = earlier.length ? overlay(chart, earlier) : chart;
  /** @type {Record<string, Json[]>} */
  const data = {};
  points.forEach((point, age) => {
    for (const [name, rows] of Object.entries(point.data ?? {})) data[age ? `${name}@${age}` : name] = rows;
  });
  eachView(spec, (view) => {
    if (view.data?.name) data[view.data.name] ??= [];
  });
  return { spec, data };
}

/**
 * Calls f with each view of a chart, the outermost first.
 * @param {Json} spec
 * @param {(view: Json) => void} f
 */
function eachView(spec, f) {
  f(spec);
  for (const key of [...CONCAT, "layer"]) for (const part of spec[key] ?? []) eachView(part, f);
}

/**
 * One chart of several, all without data: `earlier` are the runs before, the latest first. The data of run k before
 * this one is asked for by the name it has, followed by "@k".
 * @param {Json} spec
 * @param {Json[]} earlier
 * @returns {Json}
 */
function overlay(spec, earlier) {
  for (const key of CONCAT) {
    if (!(key in spec)) continue;
    const parts = spec[key].map((/** @type {Json} */ part, /** @type {number} */ i) =>
      overlay(
        part,
        earlier.flatMap((old) => ((old[key] ?? []).length > i ? [old[key][i]] : [])),
      ),
    );
    return { ...spec, [key]: parts };
  }
  const kinds = telling(spec);
  const ghosts = earlier.flatMap((old, i) => ghost(bodyOf(old), i + 1, kinds) ?? []).reverse();
  const body = bodyOf(spec);
  const outer = Object.fromEntries(Object.entries(spec).filter(([key]) => !INNER.includes(key)));
  return { ...outer, layer: isFilled(body) ? [body, ...ghosts] : [...ghosts, body] };
}

/** @param {Json} spec */
function bodyOf(spec) {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => INNER.includes(key)));
}

/**
 * @param {Json} spec
 * @returns {boolean}
 */
function isFilled(spec) {
  return FILLED.includes(markOf(spec)) || (spec.layer ?? []).some(isFilled);
}

/**
 * @param {Json} spec
 * @returns {string}
 */
function markOf(spec) {
  const mark = spec.mark ?? "";
  return String(typeof mark === "object" ? mark.type : mark);
}

/**
 * The kinds of mark that are worth a ghost: curves and bars, points where there is nothing else.
 * @param {Json} spec
 * @returns {Set<string>}
 */
function telling(spec) {
  const found = new Set("mark" in spec ? [markOf(spec)] : []);
  for (const part of spec.layer ?? []) for (const kind of telling(part)) found.add(kind);
  const curves = [...found].filter((kind) => ["line", "trail", ...FILLED].includes(kind));
  return new Set(curves.length ? curves : [...found].filter((kind) => POINTS.includes(kind)));
}

/**
 * An earlier run's marks of these kinds: grey, dashed, without colours and legends; null if none is.
 * @param {Json} spec
 * @param {number} age
 * @param {Set<string>} kinds
 * @returns {Json | null}
 */
function ghost(spec, age, kinds) {
  const kept = bodyOf(renamed(spec, age));
  delete kept.params;
  if ("encoding" in kept) kept.encoding = grey(kept.encoding);
  if ("layer" in kept) {
    kept.layer = spec.layer.flatMap((/** @type {Json} */ part) => ghost(part, age, kinds) ?? []);
    return kept.layer.length ? kept : null;
  }
  if (!kinds.has(markOf(spec))) return null;
  const old = typeof spec.mark === "object" ? spec.mark : {};
  const shape = SHAPE.filter((key) => key in old).map((key) => [key, old[key]]);
  return { ...kept, mark: { ...style(markOf(spec), age), ...Object.fromEntries(shape) } };
}

/**
 * @param {string} mark
 * @param {number} age
 * @returns {Json}
 */
function style(mark, age) {
  const [color, dash] = [GREYS[age - 1], DASHES[age - 1]];
  if (FILLED.includes(mark)) {
    return { type: mark, fill: color, fillOpacity: 0.08, stroke: color, strokeDash: dash };
  }
  if (LINES.includes(mark)) return { type: mark, color, strokeDash: dash, strokeWidth: 1.2 };
  return { type: "point", color, filled: false, size: 20 };
}

/**
 * Without colours and dashes; what they told apart stays apart.
 * @param {Json} encoding
 * @returns {Json}
 */
function grey(encoding) {
  const kept = Object.fromEntries(
    Object.entries(encoding).filter(([channel]) => !COLOURED.includes(channel)),
  );
  const splitBy = Object.entries(encoding)
    .filter(([channel, item]) => COLOURED.includes(channel) && item?.type === "nominal" && "field" in item)
    .map(([, item]) => ({ field: item.field, type: "nominal" }));
  const detail = [kept.detail ?? [], splitBy].flat();
  const seen = new Set();
  const unique = detail.filter((item) => {
    const text = JSON.stringify(item);
    return seen.has(text) ? false : seen.add(text);
  });
  return unique.length ? { ...kept, detail: unique } : kept;
}

/**
 * With the data of an earlier run.
 * @param {any} part
 * @param {number} age
 * @returns {any}
 */
function renamed(part, age) {
  if (Array.isArray(part)) return part.map((item) => renamed(item, age));
  if (part === null || typeof part !== "object") return part;
  const changed = Object.fromEntries(Object.entries(part).map(([key, item]) => [key, renamed(item, age)]));
  const data = changed.data;
  if (data && typeof data === "object" && "name" in data)
    changed.data = { ...data, name: `${data.name}@${age}` };
  return changed;
}
