// @ts-check
/* What a reader may keep of the latest run: its packets for Wireshark, its tables as CSV. */

import { pieces } from "../decode/csv.mjs";
import { ProbeMissingError, Result } from "../results/result.mjs";
import { button, element } from "./dom.mjs";

/** @typedef {import("../decode/table.mjs").Table} Table */
/** A run with everything captured, of the same experiment.
 * @typedef {(result: Result) => Promise<Result>} Again */

export class Downloads {
  /**
   * @param {string} id
   * @param {Again} again
   */
  constructor(id, again) {
    this.again = again;
    /** @type {Result | null} */
    this.result = null;
    this.stem = "";
    this.tables = element("select", { id: `${id}-table` });
    const label = element("label", { htmlFor: this.tables.id, textContent: "Table" });
    this.capture = button("Save capture (.pcapng)", () => this.#told(this.#saveCapture()));
    const save = button("Save table (.csv)", () => this.#told(this.#saveTable()));
    this.said = element("p", { className: "lp-note", role: "status" });
    const rows = element("div", { className: "lp-saving" }, label, this.tables, save, this.capture);
    const fold = element("summary", { textContent: "Keep this run" });
    this.box = element("details", { className: "lp-keep", hidden: true }, fold, rows, this.said);
    this.box.addEventListener("toggle", () => this.#list());
  }

  /**
   * This run from now on; the one before is let go.
   * @param {Result} result
   * @param {string} stem of the files' names
   */
  offer(result, stem) {
    this.result = result;
    this.stem = stem.replaceAll(/[^\w.-]+/g, "-");
    this.said.textContent = "";
    this.tables.replaceChildren();
    this.box.hidden = false;
    this.#list();
  }

  /** Nothing is at hand: what is shown was recorded. */
  withdraw() {
    this.result = null;
    this.box.hidden = true;
  }

  /** The tables are made when somebody looks for them. */
  #list() {
    if (!this.result || !this.box.open || this.tables.options.length) return;
    const { result } = this;
    const filled = Result.tables.filter((name) => tableOf(result, name)?.length);
    this.tables.replaceChildren(...filled.map((name) => new Option(name)));
  }

  async #saveTable() {
    const name = this.tables.value;
    const table = this.result && tableOf(this.result, name);
    if (table) save(`${this.stem}-${name}.csv`, [...pieces(table)], "text/csv");
  }

  async #saveCapture() {
    const { result, stem } = this;
    if (!result) return;
    if (result.recorded.experiment.capture.length) {
      save(`${stem}.pcapng`, [result.pcapng()], "application/x-pcapng");
      return;
    }
    this.said.textContent = "Nothing was captured: the experiment runs again, and is captured …";
    const captured = await this.again(result);
    save(`${stem}.pcapng`, [captured.pcapng()], "application/x-pcapng");
    this.said.textContent = "";
  }

  /** @param {Promise<void>} work */
  async #told(work) {
    this.capture.disabled = true;
    try {
      await work;
    } catch (error) {
      this.said.textContent = `Not saved: ${error instanceof Error ? error.message : error}`;
    } finally {
      this.capture.disabled = false;
    }
  }
}

/**
 * Null if it was not recorded.
 * @param {Result} result
 * @param {string} name
 */
function tableOf(result, name) {
  try {
    return result.table(name);
  } catch (error) {
    if (error instanceof ProbeMissingError) return null;
    throw error;
  }
}

/**
 * @param {string} name
 * @param {BlobPart[]} parts
 * @param {string} type
 */
function save(name, parts, type) {
  const href = URL.createObjectURL(new Blob(parts, { type }));
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
