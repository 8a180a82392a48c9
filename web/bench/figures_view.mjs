// @ts-check
/* Four figures of the latest run, with those before it in grey: cwnd, RTT, queue, goodput. */

import { cwnd } from "../charts/cwnd.mjs";
import { goodput } from "../charts/goodput.mjs";
import { queue } from "../charts/queue_length.mjs";
import { rtt } from "../charts/rtt.mjs";
import { element } from "../widgets/dom.mjs";
import { together as overlaid } from "../widgets/overlay.mjs";
import { CHART_CONFIG } from "./facts.mjs";

/** @typedef {import("../charts/figure.mjs").Figure} Figure */
/** @typedef {import("../results/result.mjs").Result} Result */
/**
 * Draws in the page: book/static/lostpackets.js.
 * @typedef {{draw: (element: Element, spec: object, data: {data: Record<string, object[]>}) => Promise<unknown>}} LostPackets
 */
/** @typedef {{name: string, caption: string, make: (result: Result) => Figure}} Kind */

/** @type {readonly Kind[]} */
const KINDS = [
  {
    name: "cwnd",
    caption: "The congestion window. Marks show where the sender took a loss.",
    make: cwnd,
  },
  { name: "rtt", caption: "The round-trip time as the sender sees it, smoothed (RFC 6298).", make: rtt },
  {
    name: "queue",
    caption: "Packets waiting in the queue that held most, and those it dropped.",
    make: queue,
  },
  {
    name: "goodput",
    caption: "Goodput: payload that arrived, as ACKs and their SACK blocks tell the sender.",
    make: (result) => goodput(result, { sacked: true }),
  },
];

/** A figure, or why there is none. @typedef {Figure | string} Drawn */
/** The figures of one run, by name. @typedef {Map<string, Drawn>} Figures */

/**
 * @param {Result} result
 * @returns {Figures}
 */
export function figuresOf(result) {
  return new Map(KINDS.map(({ name, make }) => [name, drawnBy(make, result)]));
}

/**
 * @param {Kind["make"]} make
 * @param {Result} result
 * @returns {Drawn}
 */
function drawnBy(make, result) {
  try {
    return make(result);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * One chart of several runs, and its data; the first is the latest run.
 * @param {readonly Figure[]} figures
 */
export function together(figures) {
  const { spec, data } = overlaid(figures);
  const schema = "https://vega.github.io/schema/vega-lite/v6.json";
  return { spec: { $schema: schema, ...spec, config: CHART_CONFIG }, data };
}

export class FiguresView {
  constructor() {
    this.places = KINDS.map(({ name, caption }) => {
      const view = element("div", { className: "lp-view", role: "img" });
      const words = element("p", { className: "lp-said" });
      const fold = element(
        "details",
        { className: "lp-table" },
        element("summary", { textContent: "In words" }),
        words,
      );
      const box = element("figure", { className: "lp-figure", "data-state": "empty" });
      box.append(view, element("figcaption", { textContent: caption }), fold);
      return { name, box, view, words, fold };
    });
    this.box = element("div", { className: "lp-four" }); // without a run there are no figures
  }

  /** @param {readonly Figures[]} runs the latest first */
  async show(runs) {
    if (!this.box.hasChildNodes()) this.box.append(...this.places.map(({ box }) => box));
    await Promise.all(this.places.map((place) => this.draw(place, runs)));
  }

  /**
   * @param {FiguresView["places"][number]} place
   * @param {readonly Figures[]} runs
   */
  async draw({ name, box, view, words, fold }, runs) {
    const [now, ...earlier] = runs.map((figures) => figures.get(name));
    box.removeAttribute("data-drawn");
    box.dataset.state = "empty";
    if (now === undefined || typeof now === "string") {
      view.removeAttribute("role");
      view.removeAttribute("aria-label");
      view.replaceChildren(element("p", { className: "lp-note", textContent: now ?? "" }));
      fold.hidden = true;
      return;
    }
    const figures = [now, ...earlier.filter((figure) => typeof figure === "object")];
    const { spec, data } = together(figures);
    view.setAttribute("role", "img");
    view.setAttribute("aria-label", now.description);
    words.textContent = now.description;
    fold.hidden = false;
    const { draw } = /** @type {{LostPackets: LostPackets}} */ (/** @type {unknown} */ (window)).LostPackets;
    await draw(view, spec, { data });
    box.dataset.drawn = String(figures.length);
    box.dataset.state = "drawn";
  }
}
