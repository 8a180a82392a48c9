// @ts-check
/* What a click on "Run it here" starts: the laboratory is fetched, then the widget takes any value. */

import { hasStacks } from "../../labkit/execute/wasm/machine/jspi.mjs";
import { openLab } from "../lab/lab.mjs";
import { bitsOf } from "../programs/bits.mjs";
import { widgetOf } from "../programs/programs.mjs";
import { element } from "./dom.mjs";
import { explorerLab } from "./page_explorer.mjs";
import { predictionLab } from "./page_prediction.mjs";
import { Progress } from "./progress.mjs";
import { recipeOf } from "./recipes.mjs";

/** The chapter of this page: its file's name without ending. */
const STEM = decodeURIComponent(location.pathname.split("/").at(-1) ?? "").replace(/\.html$/, "");

/**
 * @param {import("./explorer.mjs").Explorer | import("./prediction.mjs").Prediction} face
 * @param {{button: HTMLButtonElement, said: HTMLElement}} offered
 */
export async function start(face, { button, said }) {
  const name = face.figure.dataset.name ?? "";
  const widget = await widgetOf(STEM, name);
  if (!widget) throw new Error("this chapter has no program for it");
  const why = widget.refused ?? lacking(widget);
  if (why) {
    face.place.replaceChildren(
      element("p", { className: "lp-note", textContent: `It is not run here: ${why}.` }),
    );
    return;
  }
  const [recipe, bits] = await Promise.all([
    recipeOf(widget.recipe, STEM.split("-")[0], name),
    bitsOf(STEM, name),
  ]);
  const lab = await fetched(button, said, ownOf(widget));
  const parts = { lab, widget, recipe, bits };
  if ("points" in face) {
    face.attach(explorerLab(parts));
    face.start();
  } else face.attach(predictionLab(parts, face.asked.kind));
  if (document.activeElement !== document.body) return; // else the button that was pressed is gone
  /** @type {HTMLElement | null} */ (face.figure.querySelector("select, input"))?.focus({
    preventScroll: true,
  });
}

/**
 * Have the laboratory ready that a widget will take.
 * @param {{figure: HTMLElement}} face
 */
export async function ahead({ figure }) {
  const widget = await widgetOf(STEM, figure.dataset.name ?? "");
  if (widget && !widget.refused && !lacking(widget)) await openLab({ own: ownOf(widget) });
}

/** @param {import("../programs/widget.mjs").Widget} widget */
const ownOf = ({ own }) => (own.length ? `own-${STEM}` : "");

/**
 * What this browser has not of what a widget takes; null: nothing. A kernel with modules of the chapter's own comes in the
 * one form.
 * @param {import("../programs/widget.mjs").Widget} widget
 */
function lacking({ own }) {
  if (!own.length || hasStacks) return null;
  return (
    `the kernel with ${own.join(" and ")} needs JavaScript Promise Integration, which this browser lacks. ` +
    "Chromium has it from version 137, Firefox from 153, Safari from 27"
  );
}

/**
 * The laboratory, once it is here; how far it has come stands beside the button until then.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} said
 * @param {string} own see openLab
 */
async function fetched(button, said, own) {
  const progress = new Progress(() => {});
  progress.cancelButton.hidden = true;
  button.after(progress.box);
  said.textContent = "";
  progress.start("Fetching the laboratory");
  try {
    return await openLab({ own, onFetch: (got, of) => progress.bytes(got, of) });
  } finally {
    progress.end();
    progress.box.remove();
  }
}
