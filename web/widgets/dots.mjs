// @ts-check
/* A result against a knob: a dot for each run. Recorded runs are rings, those made here are filled, the one in the large
 * picture is a diamond. No page is needed to use this. */

import { parted } from "../programs/knobs.mjs";
import { spelled, unitOf, wordsOf } from "./spelled.mjs";

/** @typedef {import("./points.mjs").Json} Json */
/** @typedef {import("../programs/knobs.mjs").Knob} Knob */
/**
 * A run, as it is kept: where its knobs stood, its seed if that was typed, its figures in words.
 * @typedef {{values: Record<string, string>, seed?: number, summary: [string, string][]}} Dot
 */
/**
 * knobs: all; knob, result: what is on the axes; now: the run in the large picture; own: made here, "now" may be among them.
 * @typedef {{knobs: readonly Knob[], knob: string, result: string, now: Dot, recorded: readonly Dot[], own: readonly Dot[]}} Shown
 */

const NUMBER = /^(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(.*)$/;
const [NOW, HERE, ELSEWHERE, RECORDED] = ["this run", "run here", "with other settings", "recorded"];
/** By kind, in the legend's order: fill, stroke, shape. @type {[string, string, string, string][]} */
const LOOKS = [
  [NOW, "#D55E00", "#D55E00", "diamond"],
  [HERE, "#0072B2", "#0072B2", "circle"],
  [ELSEWHERE, "#99C7E0", "#2F9BD6", "circle"],
  [RECORDED, "transparent", "#7A7A7A", "circle"],
];
const [LARGE, SMALL] = [160, 50]; // px²
const [WIDTH, HEIGHT] = [340, 120];
/** The y axis's title is as long as it has to be. */
const ABOVE = {
  titleAngle: 0,
  titleAlign: "left",
  titleAnchor: "end",
  titleX: -30,
  titleY: -8,
  titleLimit: WIDTH,
};
const HEADROOM = 1.05; // a dot at the top is whole
const WIDE = 20; // times as much: by factors
const LETTER = 7; // px
const TOLD = 12; // dots of a kind that a description names

/**
 * "9.56 Mbit/s", "39,096 bytes"; null of a range or a word.
 * @param {string} text
 */
function measured(text) {
  const [, number, rest] = NUMBER.exec(text) ?? [];
  if (number === undefined || / to /.test(rest.split(",")[0])) return null;
  return { number: Number(number.replaceAll(",", "")), unit: rest.split(",")[0].trim() };
}

/**
 * What can be a y axis: titles and units of figures that are numbers, the first of them being one that differs between runs.
 * @param {readonly Dot[]} dots
 * @returns {Map<string, string>}
 */
export function results(dots) {
  /** @type {Map<string, {units: Set<string>, numbers: Set<number>}>} */
  const found = new Map();
  for (const [title, text] of dots.flatMap(({ summary }) => summary)) {
    const one = found.get(title) ?? { units: new Set(), numbers: new Set() };
    found.set(title, one);
    const value = measured(text);
    if (!value) continue;
    one.units.add(value.unit);
    one.numbers.add(value.number);
  }
  const plain = [...found].filter(([, { units }]) => units.size === 1);
  const telling = plain.find(([, { numbers }]) => numbers.size > 1);
  const ordered = telling ? [telling, ...plain.filter((one) => one !== telling)] : plain;
  return new Map(ordered.map(([title, { units }]) => [title, [...units][0]]));
}

/**
 * What stands on the x axis. at: where a knob has a text; has: whether it can stand there; scale: of the values there.
 * @typedef {{title: string, at: (text: string) => string | number, has: (x: string | number) => boolean,
 *   encoded: (xs: any[]) => Json}} Axis
 */

/**
 * @param {Knob} knob
 * @returns {Axis}
 */
function axisOf({ label, texts }) {
  const found = texts.map((text) => parted(text));
  const units = new Set(found.map((one) => one?.unit));
  if (found.includes(null) || units.size > 1) {
    const names = texts.map(spelled);
    return {
      title: label,
      at: spelled,
      has: (x) => names.includes(String(x)),
      encoded: () => category(names),
    };
  }
  const unit = unitOf(/** @type {string} */ ([...units][0]));
  const numbers = found.map((one) => Number(one?.number));
  return {
    title: unit ? `${label} (${unit})` : label,
    at: (text) => parted(text)?.number ?? Number.NaN,
    has: (x) => Number.isFinite(x),
    encoded: (xs) => quantity([...numbers, ...xs]),
  };
}

/**
 * The chart, its rows and what it shows in words.
 * @param {Shown} shown
 * @returns {{chart: Json, data: Record<string, Json[]>, description: string}}
 */
export function dotted({ knobs, knob: name, result, now, recorded, own }) {
  const knob = /** @type {Knob} */ (knobs.find((one) => one.name === name));
  const others = knobs.filter((one) => one !== knob);
  const unit = results([...recorded, ...own, now]).get(result) ?? "";
  const axis = axisOf(knob);
  const isBeside = (/** @type {Dot} */ { values }) =>
    others.every((one) => values[one.name] === now.values[one.name]);
  const row = (/** @type {Dot} */ dot, /** @type {string} */ who) => {
    const said = dot.summary.find(([title]) => title === result)?.[1] ?? "";
    const y = measured(said)?.number ?? null;
    const told = who === ELSEWHERE ? knobs : [knob]; // where the others stand is said once
    return { x: axis.at(dot.values[name]), y, who, run: wordsOf(told, dot.values, dot.seed), said };
  };
  const before = own.filter((dot) => dot !== now);
  const rows = [
    ...recorded.filter(isBeside).map((dot) => row(dot, RECORDED)),
    ...before.filter((dot) => !isBeside(dot)).map((dot) => row(dot, ELSEWHERE)),
    ...before.filter(isBeside).map((dot) => row(dot, HERE)),
    row(now, NOW),
  ].filter(({ x, y }) => y !== null && axis.has(x));
  const kinds = LOOKS.map(([who]) => who).filter((who) => who !== RECORDED || recorded.length);
  return {
    chart: chartOf(axis, unit ? `${result} (${unit})` : result, kinds, rows),
    data: { dots: rows },
    description: told(
      rows,
      `${result} against ${knob.label}${others.length ? `, with ${wordsOf(others, now.values)}` : ""}.`,
    ),
  };
}

/**
 * @param {Axis} axis
 * @param {string} title of the y axis
 * @param {string[]} kinds in the legend
 * @param {Json[]} rows
 * @returns {Json}
 */
function chartOf(axis, title, kinds, rows) {
  const ys = rows.map(({ y }) => y);
  const looks = kinds.map((kind) => /** @type {(typeof LOOKS)[0]} */ (LOOKS.find(([who]) => who === kind)));
  const scale = (/** @type {number} */ i) => ({ domain: kinds, range: looks.map((look) => look[i]) });
  const kind = { field: "who", type: "nominal", title: null, legend: { columns: 2 } };
  return {
    data: { name: "dots" },
    width: WIDTH,
    height: HEIGHT,
    mark: { type: "point", opacity: 1, strokeWidth: 1.5, clip: false },
    encoding: {
      x: { field: "x", title: axis.title, ...axis.encoded(rows.map(({ x }) => x)) },
      y: {
        field: "y",
        title,
        type: "quantitative",
        axis: { tickCount: 4, ...ABOVE },
        scale: { domain: [Math.min(0, ...ys), HEADROOM * Math.max(...ys, Number.MIN_VALUE)], nice: true },
      },
      fill: { ...kind, scale: scale(1) },
      stroke: { ...kind, scale: scale(2) },
      shape: { ...kind, scale: scale(3) },
      size: { condition: { test: { field: "who", equal: NOW }, value: LARGE }, value: SMALL },
      tooltip: [
        { field: "run", type: "nominal", title: "run" },
        { field: "said", type: "nominal", title: "result" },
      ],
    },
  };
}

/** @param {number[]} numbers */
function quantity(numbers) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const type = low > 0 && high >= WIDE * low ? "log" : "linear";
  return {
    type: "quantitative",
    axis: { tickCount: 5 },
    scale: { type, domain: [low, high], nice: false, padding: 12 },
  };
}

/** @param {string[]} texts */
function category(texts) {
  const letters = texts.reduce((sum, text) => sum + text.length + 2, 0);
  return {
    type: "nominal",
    sort: null,
    axis: { labelAngle: letters * LETTER > WIDTH ? -40 : 0, labelOverlap: false },
    scale: { domain: texts },
  };
}

/**
 * @param {Json[]} rows
 * @param {string} what
 */
function told(rows, what) {
  const kinds = LOOKS.map(([who]) => {
    const own = rows.filter((row) => row.who === who);
    if (!own.length) return "";
    const named = own.slice(-TOLD).map(({ run, said }) => `${run}: ${said}`);
    const more = own.length - named.length;
    return ` ${who[0].toUpperCase()}${who.slice(1)}: ${named.join("; ")}${more ? `; and ${more} more` : ""}.`;
  });
  return what + kinds.join("");
}
