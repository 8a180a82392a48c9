// @ts-check
/* What runs gave: the last three in one set of figures, the tables of the latest. */

import { Table } from "../decode/table.mjs";
import { DEFAULT, summary } from "../measures/word.mjs";
import { ledger } from "../results/ledger.mjs";
import { button, element } from "../widgets/dom.mjs";
import { CHART_CONFIG } from "./facts.mjs";
import { FiguresView, figuresOf } from "./figures_view.mjs";
import { FilmView } from "./film_view.mjs";
import { PacketsView } from "./packets_view.mjs";
import { anyTable, folded, tableView } from "./tables_view.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/**
 * words: what the run is called.
 * @typedef {{number: number, words: string, kernel: string, result: Result,
 *   figures: import("./figures_view.mjs").Figures}} Shown
 */

const RUNS = 3;
const NOT_OF_TCP = new Set(["sent_packets", "received_packets"]); // counted where a packet is a datagram
const LOOKS = ["", "6 3", "2 3"];

export class ResultsView {
  constructor() {
    /** @type {Shown[]} the latest first */
    this.runs = [];
    this.count = 0;
    this.heading = element("h2", { textContent: "Results", tabIndex: -1 });
    this.list = element("ul", { className: "lp-runs" });
    this.forget = button("Forget the runs before", () => this.drop());
    this.figures = new FiguresView();
    this.tables = element("section", { hidden: true, "aria-label": "Tables of the latest run" });
    this.box = element(
      "section",
      { hidden: true, className: "lp-results", "aria-label": "Results" },
      ...[this.heading, this.list, this.forget, this.figures.box],
    );
  }

  /**
   * @param {{result: Result, kernel: string, words: string}} run
   * @param {{alone: boolean}} how alone: it cannot be compared with those before
   */
  async add(run, { alone }) {
    this.count += 1;
    const shown = { ...run, number: this.count, figures: figuresOf(run.result) };
    this.runs = [shown, ...(alone ? [] : this.runs)].slice(0, RUNS);
    this.box.hidden = false;
    this.tables.hidden = false;
    this.showList();
    this.showTables(shown);
    await this.figures.show(this.runs.map(({ figures }) => figures));
  }

  /** Only the latest run. */
  drop() {
    this.runs = this.runs.slice(0, 1);
    this.showList();
    this.heading.focus();
    void this.figures.show(this.runs.map(({ figures }) => figures));
  }

  showList() {
    const items = this.runs.map(({ number, words, result }, age) => {
      const figures = Object.entries(summary(result, DEFAULT)).map(([title, text]) => `${title}: ${text}`);
      const name = element("span", { textContent: `Run ${number}${age ? "" : ", the latest"}` });
      return element("li", {}, sample(age), name, `: ${words.replace(/[.]?$/, ".")} ${figures.join("; ")}.`);
    });
    this.list.replaceChildren(...items);
    this.forget.hidden = this.runs.length < 2;
  }

  /** @param {Shown} shown */
  showTables({ result, number, kernel }) {
    const stem = `run-${number}`;
    const losses = once(() => ledger(result));
    const known = () => {
      try {
        return losses();
      } catch {
        return null; // why there is none stands in its own place
      }
    };
    const pings = result.table("pings");
    const boxes = [
      folded("Flows", () => tableView("flows", withGoodput(result), stem), true),
      ...(pings.length ? [folded("Pings", () => tableView("pings", pings, stem))] : []),
      folded("Ledger: every packet that was lost", () => tableView("ledger", losses(), stem)),
      folded("Packets", () => new PacketsView(result, known, stem).box),
      folded("The film of its packets", () => new FilmView(result, kernel).box),
      folded("Counters and other tables", () => anyTable(result, stem)),
    ];
    this.tables.replaceChildren(...boxes);
  }
}

/**
 * The table of flows with their goodput, without what was measured of none of them.
 * @param {Result} result
 */
function withGoodput(result) {
  const flows = result.table("flows");
  const rows = flows.rows();
  const isTcp = rows.every(({ protocol }) => protocol === "tcp");
  const columns = Object.entries(flows.columns).filter(
    ([name]) => !(isTcp && NOT_OF_TCP.has(name)) && rows.some((row) => row[name] !== ""),
  );
  const { flow, ...rest } = Object.fromEntries(columns);
  return new Table({ flow, goodput_mbit_s: result.goodput().column("goodput"), ...rest });
}

/**
 * @template T
 * @param {() => T} make
 * @returns {() => T}
 */
function once(make) {
  /** @type {{value: T} | null} */
  let made = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** How a run is drawn. @param {number} age */
function sample(age) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ width: 34, height: 10, "aria-hidden": "true" })) {
    svg.setAttribute(name, String(value));
  }
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const stroke = age ? ["#767676", "#949494"][age - 1] : CHART_CONFIG.mark.color;
  const look = { x1: 0, x2: 34, y1: 5, y2: 5, stroke, "stroke-width": 2, "stroke-dasharray": LOOKS[age] };
  for (const [name, value] of Object.entries(look)) line.setAttribute(name, String(value));
  svg.append(line);
  return svg;
}
