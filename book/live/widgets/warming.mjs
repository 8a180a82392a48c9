// @ts-check
/* The first run is slow, for the browser compiles the machine's code while it runs. So an explorer that comes into view
 * has it compiled while the reader still reads. */

import { widgetOf } from "../programs/programs.mjs";

/** @typedef {import("../lab/lab.mjs").Lab} Lab */

let isWatching = false;

/**
 * From now on, for all explorers of the page.
 * @param {Lab} lab
 * @param {string} stem of the chapter
 */
export function warmInView(lab, stem) {
  if (isWatching) return;
  isWatching = true;
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      warm(lab, stem, /** @type {HTMLElement} */ (target).dataset.name ?? "").catch(console.error);
    }
  });
  for (const figure of document.querySelectorAll('figure.lp-figure[data-lp="explorer"]')) {
    if (!figure.querySelector(".lp-live")) seen.observe(figure);
  }
}

/**
 * @param {Lab} lab
 * @param {string} stem
 * @param {string} name
 */
async function warm(lab, stem, name) {
  const widget = await widgetOf(stem, name);
  if (!widget || widget.refused) return;
  const values = Object.fromEntries(widget.knobs.map((knob) => [knob.name, knob.texts[knob.default]]));
  const [planned] = await widget.experiments(values);
  if (planned.by !== "python") lab.warm(planned.program);
}
