// @ts-check
/* What the page's own code makes of a widget without running it: its kinds; what is wrong with it, as a reader would
 * meet it. Laid beside the laboratory's scripts, and imported by a page of the site. */

/** @typedef {any} Json */

/** Each knob to another value, as a reader does it, between the recorded ones where it can be.
 * @param {HTMLElement} box */
function turn(box) {
  const happen = (/** @type {Element} */ input, /** @type {string} */ event) =>
    input.dispatchEvent(new Event(event, { bubbles: true }));
  const input = /** @type {any} */ (box.querySelector("select, input"));
  if (input.type === "range") {
    const at = Number(input.value);
    input.value = String(at + (at < Number(input.max) ? 1 : -1));
    happen(input, "input");
    happen(input, "change");
  } else if (input.type === "checkbox") {
    input.click();
  } else {
    const texts = [...input.options].filter(({ text }) => !text.startsWith("other")).length;
    input.selectedIndex = (input.selectedIndex + 1) % texts;
    happen(input, "change");
  }
}

/** @param {Json} knob */
function kindOf({ kind, typed }) {
  if (kind === "toggle") return "a toggle";
  if (kind === "choice") return typed ? "a choice that can be typed" : "a choice";
  return typed ? "a slider of numbers" : "a slider of words";
}

const BY = { site: "a program of the site's", python: "a program by Python" };

/** @param {Json} planned */
const wholeOf = (planned) =>
  JSON.stringify(planned.map((/** @type {Json} */ one) => [[...one.program], one.manifest]));

/**
 * @param {URL} lab the folder `_static/lab`
 * @param {string} stem of the chapter
 * @param {string} name of the widget
 * @returns {Promise<Json>} {kind, kinds, faults}, or {refused} with why it is not run
 */
export async function facts(lab, stem, name) {
  const from = (/** @type {string} */ path) => import(new URL(`web/${path}`, lab).href);
  const { widgetOf } = await from("programs/programs.mjs");
  const widget = await widgetOf(stem, name);
  if (!widget) return { faults: ["the site has no program for it"] };
  if (widget.refused) return { kind: widget.kind, kinds: [], faults: [], refused: widget.refused };
  const { recipeOf } = await from("widgets/recipes.mjs");
  const recipe = await recipeOf(widget.recipe, stem.split("-")[0], name);
  const found = await (widget.kind === "explore"
    ? explorer(widget, recipe, from)
    : prediction(widget, recipe));
  if (widget.own.length) found.kinds.push("a kernel of the chapter's own");
  return found;
}

/**
 * @param {Json} widget
 * @param {Json} recipe
 * @param {(path: string) => Promise<Json>} from
 */
async function explorer(widget, recipe, from) {
  const faults = typeof recipe.draw === "function" ? [] : ["no draw"];
  if (widget.recipe.words.length === 0) faults.push("no summary");
  const { KnobControls } = await from("widgets/knob_controls.mjs");
  /** @type {boolean[]} */
  let heard = [];
  const start = widget.knobs.map((/** @type {Json} */ knob) => knob.default);
  const turned = (/** @type {boolean} */ moving) => heard.push(moving);
  const knobs = new KnobControls(widget.knobs, "facts", start, { turned, seed: "as recorded" });
  document.body.replaceChildren(...knobs.boxes);
  let before = wholeOf(await widget.experiments(knobs.values));
  let planned = [];
  for (const { knob, box, text } of knobs.all) {
    const [old, isSlider] = [text(), knob.kind === "slider"];
    heard = [];
    turn(box);
    const what = `${knob.label} from ${old} to ${text()}`;
    if (text() === old) faults.push(`${what}: the knob is dead`);
    if (heard.join() !== (isSlider ? "true,false" : "false"))
      faults.push(`${what}: told ${heard.length} times`);
    planned = await widget.experiments(knobs.values);
    const now = wholeOf(planned);
    if (now === before) faults.push(`${what}: the program stays as it was`);
    before = now;
  }
  const kinds = widget.knobs.map(kindOf);
  kinds.push(knobs.seedBox ? "a box for the seed" : "the seed is a knob");
  if (knobs.seedBox) planned = await widget.experiments(knobs.values, 4);
  if (wholeOf(planned) === before && knobs.seedBox) faults.push("seed 4: the program stays as it was");
  kinds.push(BY[/** @type {keyof typeof BY} */ (planned[0].by)]);
  return { kind: "explore", kinds, faults };
}

/**
 * @param {Json} widget
 * @param {Json} recipe
 */
async function prediction(widget, recipe) {
  const faults = widget.recipe.words.length === 1 ? [] : ["no measure"];
  if (Boolean(widget.chart) !== Boolean(recipe.draw))
    faults.push("its chart and its draw do not go together");
  const planned = await widget.experiments({});
  const kinds = [planned.length > 1 ? "of several runs" : "of one run"];
  if (widget.chart) kinds.push("a result that is drawn");
  return { kind: "predict", kinds, faults };
}
