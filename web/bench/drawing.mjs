// @ts-check
/* A network as a drawing: hosts, links, what each link is. An SVG within the page, in the page's colours. */

import { rolesOf, shapeNamed } from "./form.mjs";
import { lossName, spoken } from "./names.mjs";

/** @typedef {import("./form.mjs").Form} Form */
/** @typedef {import("./form.mjs").LinkForm} LinkForm */
/** @typedef {Record<string, [number, number]>} Places */

const SVG = "http://www.w3.org/2000/svg";
const STEP_X = 66; // CSS pixels, of a link without words: a dumbbell fits on a phone
const STEP_Y = 46;
const BOX = 24; // height of a host
const LETTER = 7.4; // width of one, about
const SMALLEST = 0.85; // of its size, in a narrow column; beyond that it is scrolled
const MOST_LABELS = 12; // links; of more, only the chosen one is labelled, else bottlenecks, too

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Where hosts stand, in steps from 0.
 * @param {Form} form
 * @returns {Places}
 */
export function placesOf(form) {
  const { kind, numbers } = form.shape;
  return kind ? shapeNamed(kind).make(...numbers).at : layered(form);
}

/**
 * Hosts by their distance from the first one that has one link only.
 * @param {Form} form
 * @returns {Places}
 */
function layered({ hosts, links }) {
  const beside = (/** @type {string} */ name) =>
    links.flatMap(({ a, b }) => (a === name ? [b] : b === name ? [a] : []));
  const first = hosts.find((name) => beside(name).length === 1) ?? hosts[0];
  /** @type {Places} */
  const at = {};
  let layer = first === undefined ? [] : [first];
  for (let x = 0; layer.length; x++) {
    layer.forEach((name, i) => {
      at[name] = [x, i - (layer.length - 1) / 2];
    });
    const next = layer.flatMap(beside).filter((name) => !Object.hasOwn(at, name) && hosts.includes(name));
    layer = [...new Set(next)];
    if (layer.length === 0) layer = hosts.filter((name) => !Object.hasOwn(at, name)).slice(0, 1);
  }
  return at;
}

/**
 * The network in words, for who does not see it.
 * @param {Form} form
 */
export function networkWords({ hosts, links, switches }) {
  const said = links
    .slice(0, 12)
    .map((link) => `${link.a} to ${link.b}: ${linkWords(link) || "a bare wire"}`);
  const more = links.length > said.length ? ` And ${links.length - said.length} more links.` : "";
  const bridged = switches.size ? `, ${switches.size} switch${switches.size > 1 ? "es" : ""}` : "";
  return `${hosts.length - switches.size} hosts${bridged}. ${said.join("; ")}.${more}`;
}

/** @param {LinkForm} link */
export function linkWords({ forward, backward }) {
  const there = [forward.texts.rate, forward.texts.delay].map(spoken).filter(Boolean);
  const losses = [forward.loss, backward.loss].filter(({ kind }) => kind).map(lossName);
  return [...new Set([...there, ...losses])].join(", ");
}

/**
 * @param {Form} form
 * @param {number} chosen the link that is shown in the form
 * @param {(link: number) => void} choose
 * @returns {SVGElement}
 */
export function drawing(form, chosen, choose) {
  const at = placesOf(form);
  const widest = Math.max(...form.hosts.map((name) => name.length), 4) * LETTER + 14;
  const spots = form.hosts.map((name) => at[name] ?? [0, 0]);
  const [top, low] = [Math.min(...spots.map(([, y]) => y)), Math.max(...spots.map(([, y]) => y))];
  const roles = rolesOf(form);
  const labelled = form.links.length <= MOST_LABELS;
  const isShown = form.links.map(
    (link, i) => ((labelled && roles[i] === "bottleneck") || i === chosen) && linkWords(link) !== "",
  );
  const across = columnsOf(
    spots.map(([x]) => x),
    form.links.flatMap((link, i) => {
      const ends = [at[link.a]?.[0] ?? 0, at[link.b]?.[0] ?? 0];
      const room = linkWords(link).length * LETTER + widest + 8;
      return isShown[i] ? [{ from: Math.min(...ends), to: Math.max(...ends), room }] : [];
    }),
  );
  const width = Math.max(...across.values()) + widest + 4;
  const height = (low - top) * STEP_Y + BOX + 34;
  const spot = (/** @type {string} */ name) => {
    const [x, y] = at[name] ?? [0, 0];
    return [(across.get(x) ?? 0) + widest / 2 + 2, (y - top) * STEP_Y + BOX / 2 + 17];
  };
  const joints = form.links.map((link, i) => {
    const kind = `lp-joint lp-${roles[i]}${i === chosen ? " lp-chosen" : ""}`;
    const how = { from: spot(link.a), to: spot(link.b), kind, shown: isShown[i] };
    return joint(link, { ...how, click: () => choose(i) });
  });
  const boxes = form.hosts.map((name) => host(name, spot(name), form.switches.has(name)));
  const label = networkWords(form);
  const attributes = { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label };
  const whole = /** @type {SVGElement} */ (
    svg("svg", { class: "lp-network", ...attributes }, ...joints, ...boxes)
  );
  whole.style.minWidth = `${SMALLEST * width}px`;
  return whole;
}

/**
 * How far right each column of hosts stands: as far from the one before as words between them take.
 * @param {number[]} xs of all hosts, in steps
 * @param {{from: number, to: number, room: number}[]} worded links with words
 * @returns {Map<number, number>}
 */
function columnsOf(xs, worded) {
  const columns = [...new Set(xs)].sort((a, b) => a - b);
  const across = new Map([[columns[0] ?? 0, 0]]);
  for (const [i, x] of columns.slice(1).entries()) {
    const before = columns[i];
    const rooms = worded.filter(({ from, to }) => from <= before && to >= x).map(({ room }) => room);
    across.set(x, (across.get(before) ?? 0) + Math.max((x - before) * STEP_X, ...rooms));
  }
  return across;
}

/**
 * @param {LinkForm} link
 * @param {{from: number[], to: number[], kind: string, shown: boolean, click: () => void}} how
 */
function joint(link, { from, to, kind, shown, click }) {
  const line = (/** @type {string} */ name) =>
    svg("line", { class: name, x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
  const group = svg("g", { class: kind }, line("lp-reach"), line("lp-wire"));
  if (shown) {
    const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    group.append(svg("text", { x, y: y - 7, "text-anchor": "middle" }, linkWords(link)));
  }
  group.addEventListener("click", click);
  return group;
}

/**
 * @param {string} name
 * @param {number[]} spot
 * @param {boolean} switched whether it is a switch, whose corners are sharp
 */
function host(name, [x, y], switched) {
  const width = Math.max(name.length * LETTER + 12, 30);
  return svg(
    "g",
    { class: "lp-host" },
    svg("rect", { x: x - width / 2, y: y - BOX / 2, width, height: BOX, rx: switched ? 0 : 5 }),
    svg("text", { x, y: y + 4.5, "text-anchor": "middle" }, name),
  );
}
