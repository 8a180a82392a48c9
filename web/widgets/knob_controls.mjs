// @ts-check
/* Knobs as a reader turns them: lists, switches, sliders. One whose numbers may be typed stops between its values, too,
 * with ticks at these, and a field beside it takes what is typed. A box for the seed may stand behind them. */

import { element, whenTyped } from "./dom.mjs";
import { Scale } from "./scale.mjs";
import { spelled, wordsOf } from "./spelled.mjs";

/** @typedef {import("../programs/knobs.mjs").Knob} Knob */
/**
 * moving: while a slider is dragged; else it has been let go, or something was chosen or typed.
 * @typedef {(moving: boolean) => void} Turned
 */
/** @typedef {{knob: Knob, box: HTMLElement, text: () => string}} Turnable */

/**
 * A list; where its values are numbers, its last item lets another one be typed.
 * @param {Knob} knob
 * @param {string} id
 * @param {number} start which of its texts
 * @param {Turned} turned
 * @returns {Turnable}
 */
function choice(knob, id, start, turned) {
  const options = knob.texts.map((text, i) => new Option(spelled(text), String(i), i === start, i === start));
  const input = element("select", { id }, ...options);
  if (!knob.typed) {
    input.addEventListener("change", () => turned(false));
    return framed(knob, id, [input], () => knob.texts[input.selectedIndex]);
  }
  let text = knob.texts[start];
  const field = typing(knob, id, (typed) => {
    text = typed;
    turned(false);
  });
  input.append(new Option("other …"));
  field.input.hidden = true;
  input.addEventListener("change", () => {
    const isOther = input.selectedIndex === knob.texts.length;
    field.input.hidden = !isOther;
    field.show(text);
    if (isOther) field.input.focus();
    else {
      text = knob.texts[input.selectedIndex];
      turned(false);
    }
  });
  return framed(knob, id, [input, field.input, field.fault], () => text);
}

/**
 * @param {Knob} knob
 * @param {string} id
 * @param {number} start
 * @param {Turned} turned
 */
function toggle(knob, id, start, turned) {
  const input = element("input", { id, type: "checkbox", checked: start === 1, role: "switch" });
  input.addEventListener("change", () => turned(false));
  return framed(knob, id, [input], () => knob.texts[Number(input.checked)]);
}

/**
 * A slider whose values are no numbers.
 * @param {Knob} knob
 * @param {string} id
 * @param {number} start
 * @param {Turned} turned
 */
function stops(knob, id, start, turned) {
  const input = range(id, knob.texts.length, start);
  const output = element("output", {});
  const say = () => {
    output.textContent = spelled(knob.texts[Number(input.value)]);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    say();
    turned(true);
  });
  input.addEventListener("change", () => turned(false));
  say();
  return framed(knob, id, [input, output], () => knob.texts[Number(input.value)]);
}

/**
 * @param {Knob} knob
 * @param {string} id
 * @param {number} start
 * @param {Turned} turned
 */
function slider(knob, id, start, turned) {
  if (!knob.typed) return stops(knob, id, start, turned);
  const scale = new Scale(knob.texts, knob.typed);
  const marks = scale.recorded.map((place) => element("option", { value: String(place) }));
  const ticks = element("datalist", { id: `${id}-ticks` }, ...marks);
  const input = range(id, scale.steps.length, scale.recorded[start]);
  input.setAttribute("list", ticks.id);
  let text = knob.texts[start];
  const field = typing(knob, id, (typed) => {
    text = typed;
    const place = scale.placeOf(text);
    if (place !== null) input.value = String(place);
    say();
    turned(false);
  });
  const say = () => {
    field.show(text);
    input.setAttribute("aria-valuetext", spelled(text));
  };
  input.addEventListener("input", () => {
    text = scale.text(Number(input.value));
    say();
    turned(true);
  });
  input.addEventListener("change", () => turned(false));
  say();
  return framed(knob, id, [input, field.input, ticks, field.fault], () => text);
}

/**
 * @param {string} id
 * @param {number} count of its stops
 * @param {number} start
 */
function range(id, count, start) {
  const input = element("input", { id, type: "range", min: "0", max: String(count - 1), step: "1" });
  input.value = String(start);
  return input;
}

/**
 * A field to type in, and what is wrong with what was typed. take: given what can be read.
 * @param {Knob} knob one whose values are numbers
 * @param {string} id
 * @param {(text: string) => void} take
 */
function typing(knob, id, take) {
  const scale = new Scale(knob.texts, /** @type {import("./scale.mjs").Typed} */ (knob.typed));
  const fault = element("span", { id: `${id}-fault`, className: "lp-error", role: "alert" });
  const input = element("input", {
    type: "text",
    className: "lp-typed",
    spellcheck: false,
    autocomplete: "off",
    "aria-label": `${knob.label}, typed`,
    "aria-describedby": fault.id,
  });
  const show = (/** @type {string} */ text) => {
    input.value = spelled(text);
    fault.textContent = "";
    input.removeAttribute("aria-invalid");
  };
  whenTyped(input, (typed) => {
    try {
      const text = scale.read(typed);
      show(text);
      take(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      fault.textContent = `${knob.label}: ${error.message}.`;
      input.setAttribute("aria-invalid", "true");
    }
  });
  return { input, fault, show };
}

/**
 * @param {Knob} knob
 * @param {string} id
 * @param {HTMLElement[]} parts
 * @param {() => string} text
 * @returns {Turnable}
 */
function framed(knob, id, parts, text) {
  const label = element("label", { htmlFor: id, textContent: knob.label });
  return { knob, box: element("div", { className: `lp-knob lp-${knob.kind}` }, label, ...parts), text };
}

/**
 * Where knobs stand among their texts that have these values; one without its value stands where it starts.
 * @param {readonly Knob[]} knobs
 * @param {Record<string, string>} values
 */
export function placesOf(knobs, values) {
  return knobs.map(({ name, texts, default: start }) => {
    const left = texts.indexOf(values[name] ?? "");
    return left < 0 ? start : left;
  });
}

const KINDS = { choice, toggle, slider };

export class KnobControls {
  /**
   * @param {readonly Knob[]} knobs
   * @param {string} id of the figure
   * @param {readonly number[]} start where they stand, as places among their texts
   * @param {{turned: Turned, seed: string | null, isIdle?: boolean}} how seed: what an empty box for the seed says; null:
   *   there is none; isIdle: it takes no seed yet
   */
  constructor(knobs, id, start, { turned, seed, isIdle = false }) {
    this.all = knobs.map((knob, i) => {
      const make = KINDS[/** @type {keyof typeof KINDS} */ (knob.kind)];
      if (!make) throw new Error(`this page knows no knob of kind “${knob.kind}”. Record the chapter again.`);
      return make(knob, `${id}-knob-${i}`, start[i], turned);
    });
    const hasKnob = knobs.some(({ name }) => name === "seed");
    this.seedBox = seed === null || hasKnob ? null : seedBox(`${id}-seed`, seed, turned, isIdle);
    this.boxes = [...this.all.map(({ box }) => box), ...(this.seedBox ? [this.seedBox.box] : [])];
  }

  /** The text of each knob by its name. */
  get values() {
    return Object.fromEntries(this.all.map(({ knob, text }) => [knob.name, text()]));
  }

  /** Undefined: as it was recorded. */
  get seed() {
    return this.seedBox?.seed();
  }

  /** Where each stands among its texts; -1: between them. */
  get places() {
    return this.all.map(({ knob, text }) => knob.texts.indexOf(text()));
  }

  /** What a run is called that is made here. */
  get words() {
    return wordsOf(
      this.all.map(({ knob }) => knob),
      this.values,
      this.seed,
    );
  }
}

/**
 * @param {string} id
 * @param {string} placeholder
 * @param {Turned} turned
 * @param {boolean} disabled
 */
function seedBox(id, placeholder, turned, disabled) {
  const input = element("input", { id, type: "number", min: "0", step: "1", placeholder, disabled });
  const label = element("label", { htmlFor: id, textContent: "Seed" });
  const fault = element("span", { className: "lp-error", role: "alert" });
  let seed = /** @type {number | undefined} */ (undefined);
  whenTyped(input, () => {
    const isGood = input.validity.valid && Number.isSafeInteger(Number(input.value));
    fault.textContent = isGood ? "" : "Seed: write a whole number, 0 or more.";
    if (!isGood) return;
    seed = input.value === "" ? undefined : Number(input.value);
    turned(false);
  });
  return { box: element("div", { className: "lp-knob lp-seed" }, label, input, fault), seed: () => seed };
}
