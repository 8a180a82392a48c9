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

const ROLE = "group"; // of a chart: the front end puts a menu into it

/** @param {{model: Model, el: HTMLElement}} shown */
async function render({ model, el }) {
  const id = `lp-${Math.random().toString(36).slice(2)}`; // anywidget loads this module for each widget anew: nothing is counted
  const figure = element("figure", { className: "lp-figure", id });
  figure.append(element("div", { className: "lp-view" }));
  el.classList.add("lp-notebook");
  el.addEventListener("focusin", ({ target }) => {
    // JupyterLab's shortcuts, of which x cuts a cell, begin at what has the focus
    if (target instanceof Element) target.setAttribute("data-lm-suppress-shortcuts", "true");
  });
  el.append(figure);
  const { caption } = model.get("asked");
  if (caption) figure.append(element("figcaption", { textContent: caption }));
  const kernel = new Kernel(model);
  const draw = drawer(model);
  if (model.get("kind") === "explore") await explorer(figure, model, kernel, draw);
  else await prediction(figure, model, kernel, draw);
  return () => kernel.close();
}

/** @type {(figure: HTMLElement, model: Model, kernel: Kernel, draw: import("./explorer.mjs").Draw) => Promise<void>} */
async function explorer(figure, model, kernel, draw) {
  const [asked, latest] = [model.get("asked"), model.get("latest")];
  const knobs = latest.values ? standing(asked.knobs, latest.values) : asked.knobs;
  const face = new Explorer(figure, { ...asked, knobs }, { draw, role: ROLE });
  face.attach(kernelExplorer(kernel, asked, latest.runs?.[0] ?? -1));
  if (latest.point) {
    const words = isOnKnobs(latest) ? face.controls.words : latest.words; // the kernel's first run has the kernel's words
    await face.had(unpacked(latest.point, latest.point.chart), words);
  }
  if (!latest.point && asked.at_once) face.start();
}

/**
 * Whether a run stood at values of its knobs, with its own seed.
 * @param {Record<string, any>} latest
 */
function isOnKnobs({ values, seed }) {
  return seed === null && Object.values(values).every((one) => typeof one === "number");
}

/**
 * The knobs as they stood at the run that is there; one that stood between its values is where it starts.
 * @param {any[]} knobs
 * @param {Record<string, number | string>} values
 */
function standing(knobs, values) {
  return knobs.map((knob) =>
    typeof values[knob.name] === "number" ? { ...knob, default: values[knob.name] } : knob,
  );
}

/** @type {(figure: HTMLElement, model: Model, kernel: Kernel, draw: import("./explorer.mjs").Draw) => Promise<void>} */
async function prediction(figure, model, kernel, draw) {
  const [asked, latest] = [model.get("asked"), model.get("latest")];
  const recorded = "measured" in latest ? latest : null;
  const face = new Prediction(figure, asked, { draw, recorded, role: ROLE });
  face.attach(kernelPrediction(kernel, asked));
  await face.show();
}

export default { render };
