// @ts-check
/* Widgets in a notebook, for anywidget (https://anywidget.dev): the laboratory is the notebook's kernel. What is asked of
 * it and what it answers is in labkit/widgets/face.py. */

import { element } from "./dom.mjs";
import { Explorer } from "./explorer.mjs";
import { Kernel } from "./kernel.mjs";
import { kernelExplorer } from "./kernel_explorer.mjs";
import { kernelPrediction } from "./kernel_prediction.mjs";
import { drawer } from "./notebook_vega.mjs";
import { unpacked } from "./points.mjs";
import { Prediction } from "./prediction.mjs";

/** @typedef {import("./kernel.mjs").Model} Model */

/** @param {{model: Model, el: HTMLElement}} shown */
async function render({ model, el }) {
  const id = `lp-${Math.random().toString(36).slice(2)}`; // anywidget loads this module for each widget anew: nothing is counted
  const figure = element("figure", { className: "lp-figure", id });
  figure.append(element("div", { className: "lp-view", role: "img" }));
  el.classList.add("lp-notebook");
  el.setAttribute("data-lm-suppress-shortcuts", "true"); // of JupyterLab: x cuts a cell
  el.append(figure);
  const kernel = new Kernel(model);
  const draw = drawer(model);
  if (model.get("kind") === "explore") await explorer(figure, model, kernel, draw);
  else await prediction(figure, model, kernel, draw);
  return () => kernel.close();
}

/** @type {(figure: HTMLElement, model: Model, kernel: Kernel, draw: import("./explorer.mjs").Draw) => Promise<void>} */
async function explorer(figure, model, kernel, draw) {
  const [asked, latest] = [model.get("asked"), model.get("latest")];
  const isKept = latest.point && isOnKnobs(latest);
  const knobs = isKept ? standing(asked.knobs, latest.values) : asked.knobs;
  const face = new Explorer(figure, { ...asked, knobs }, { draw });
  face.attach(kernelExplorer(kernel, asked));
  if (isKept) await face.had(unpacked(latest.point, latest.point.chart));
  else if (asked.at_once) face.start();
}

/**
 * Whether the run that a saved notebook keeps had every knob at one of its values, and a seed of its own.
 * @param {{values: Record<string, number | string>, seed: number | null}} latest
 */
function isOnKnobs({ values, seed }) {
  return seed === null && Object.values(values).every((value) => typeof value === "number");
}

/**
 * The knobs as they stood then.
 * @param {any[]} knobs
 * @param {Record<string, number | string>} values
 */
function standing(knobs, values) {
  return knobs.map((knob) => ({ ...knob, default: values[knob.name] ?? knob.default }));
}

/** @type {(figure: HTMLElement, model: Model, kernel: Kernel, draw: import("./explorer.mjs").Draw) => Promise<void>} */
async function prediction(figure, model, kernel, draw) {
  const [asked, latest] = [model.get("asked"), model.get("latest")];
  const recorded = "measured" in latest ? latest : null;
  const face = new Prediction(figure, asked, { draw, recorded });
  face.attach(kernelPrediction(kernel, asked));
  await face.show();
}

export default { render };
