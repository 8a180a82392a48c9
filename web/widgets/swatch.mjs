// @ts-check
/* A piece of the line that an earlier run is drawn with, for the list of runs. */

import { DASHES, GREYS } from "./overlay.mjs";

const SVG = "http://www.w3.org/2000/svg";

/** @param {number} age 1: the run before the current one */
export function swatch(age) {
  const svg = made("svg", { width: 28, height: 10, "aria-hidden": "true" });
  const look = { stroke: GREYS[age - 1], "stroke-width": 2, "stroke-dasharray": DASHES[age - 1].join(" ") };
  svg.append(made("line", { x2: 28, y1: 5, y2: 5, ...look }));
  return svg;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
function made(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}
