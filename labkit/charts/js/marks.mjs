// Views of Vega-Lite as all figures have them: colours, dashes and shapes of series, the axis of time, curves.

/** @typedef {import("./figure.mjs").Json} Json */

// As labkit/charts/theme.py has them.
export const BLUE = "#0072B2";
export const VERMILLION = "#D55E00";
export const GREEN = "#008F68";
export const PURPLE = "#B8629A";
export const SKY = "#2F9BD6";
export const OCHRE = "#A67C00";
export const VIOLET = "#7B61C9";
export const GREY = "#7A7A7A";
const COLORS = [BLUE, VERMILLION, GREEN, PURPLE, SKY, OCHRE, VIOLET];
const DASHES = [
  [1, 0],
  [6, 3],
  [2, 2],
  [9, 3, 2, 3],
  [12, 4],
];
export const WIDTH = 600;
export const HEIGHT = 220;

/**
 * A channel that tells series apart; no legend for a single one: the axis says what it is.
 * @param {string} field
 * @param {readonly string[]} names
 * @param {readonly unknown[]} looks taken in turn
 * @returns {Json}
 */
function telling(field, names, looks) {
  const range = names.map((_, i) => looks[i % looks.length]);
  return {
    field,
    legend: names.length > 1 ? {} : null,
    scale: { domain: [...names], range },
    title: null,
    type: "nominal",
  };
}

/**
 * Colours for these series, the same ones for the same order of names.
 * @param {string} field
 * @param {readonly string[]} names
 */
export function color(field, names) {
  return telling(field, names, COLORS);
}

/**
 * Dashes for these series; colour and dash together repeat after 35.
 * @param {string} field
 * @param {readonly string[]} names
 */
export function dash(field, names) {
  return telling(field, names, DASHES);
}

/**
 * Colour and shape of kinds that look the same in every figure; in the legend those that are there.
 * @param {string} field
 * @param {Readonly<Record<string, readonly [color: string, shape: string]>>} looks
 * @param {readonly string[]} there
 * @param {Json} legend its other properties
 * @returns {{color: Json, shape: Json}}
 */
export function fixedLooks(field, looks, there, legend) {
  const shown = there.length > 0 ? { ...legend, values: [...there] } : null;
  /** @param {0 | 1} which */
  const channel = (which) => ({
    field,
    legend: shown,
    scale: { domain: Object.keys(looks), range: Object.values(looks).map((look) => look[which]) },
    title: null,
    type: "nominal",
  });
  return { color: channel(0), shape: channel(1) };
}

/**
 * A field of numbers as a channel.
 * @param {string} field
 * @param {Json} [more]
 * @returns {Json}
 */
export function quantity(field, more = {}) {
  return { field, ...more, type: "quantitative" };
}

/**
 * The axis of time.
 * @param {number} [start] in s: where it begins
 * @returns {Json}
 */
export function timeAxis(start) {
  const scale = { domainMin: start ?? 0, nice: false, zero: false };
  return quantity("time_s", { scale, title: "Time (s)" });
}

/**
 * One curve per series, told apart by colour and dash.
 * @param {{name: string, data: string, value: string, title: string, series: readonly string[],
 *   interpolate?: string, by?: string, start?: number}} asked title: the value's, with its unit
 * @returns {Json}
 */
export function curves({ name, data, value, title, series, interpolate = "linear", by = "series", start }) {
  return {
    data: { name: data },
    mark: { type: "line", clip: true, interpolate },
    encoding: {
      color: color(by, series),
      strokeDash: dash(by, series),
      x: timeAxis(start),
      y: quantity(value, { title }),
    },
    name,
  };
}

/**
 * Views over each other, with the size of every figure over time; data that all of them have is the whole's.
 * @param {readonly Json[]} layers
 * @param {string} title
 * @param {Json} [more]
 * @returns {Json}
 */
export function framed(layers, title, more = {}) {
  const frame = { width: WIDTH, height: HEIGHT, title, ...more };
  const [first] = layers;
  if (layers.some((layer) => layer.data.name !== first.data.name)) return { layer: [...layers], ...frame };
  return { data: first.data, layer: layers.map(({ data: _, ...layer }) => layer), ...frame };
}
