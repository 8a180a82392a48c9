// @ts-check
/* A table, some rows at a time: however long it is, the page holds one page of it. */

import { count } from "../charts/words.mjs";
import { button, element } from "../widgets/dom.mjs";
import { cellText, isNumeric } from "./cells.mjs";

/** @typedef {import("../decode/table.mjs").Table} Table */

const ROWS = 100;

export class PagedTable {
  /**
   * @param {string} caption
   * @param {{units?: Readonly<Record<string, string>>, hidden?: readonly string[],
   *   mark?: (row: number) => {name: string, text: string} | null}} [how] units: what columns mean; mark: of a row, what
   *   is to be seen of it at once
   */
  constructor(caption, { units = {}, hidden = [], mark } = {}) {
    this.units = units;
    this.hidden = hidden;
    this.mark = mark;
    this.start = 0;
    /** @type {Table | null} */
    this.table = null;
    /** @type {ArrayLike<number>} rows of the table that are shown, in their order */
    this.rows = [];
    this.grid = element("table", {}, element("caption", { className: "lp-spoken", textContent: caption }));
    this.region = element("div", { className: "lp-table-scroll", tabIndex: 0, role: "region" }, this.grid);
    this.region.setAttribute("aria-label", caption);
    this.first = button("First", () => this.go(0));
    this.before = button("Previous", () => this.go(this.start - ROWS));
    this.next = button("Next", () => this.go(this.start + ROWS));
    this.last = button("Last", () => this.go(Math.floor((this.rows.length - 1) / ROWS) * ROWS));
    this.said = element("span", { role: "status" });
    this.pages = element(
      "div",
      { className: "lp-buttons lp-pages" },
      ...[this.first, this.before, this.next, this.last, this.said],
    );
    this.box = element("div", { className: "lp-paged" }, this.region, this.pages);
  }

  /**
   * @param {Table} table
   * @param {ArrayLike<number>} [rows] of it; all unless given
   */
  show(table, rows = Int32Array.from({ length: table.length }, (_, i) => i)) {
    this.table = table;
    this.rows = rows;
    this.go(0);
  }

  /** @param {number} start */
  go(start) {
    const { table, rows } = this;
    if (!table) return;
    this.start = Math.min(Math.max(start, 0), Math.max(rows.length - 1, 0));
    const end = Math.min(this.start + ROWS, rows.length);
    const names = table.names.filter((name) => !this.hidden.includes(name));
    const body = element("tbody");
    for (let i = this.start; i < end; i++) body.append(this.row(table, names, rows[i]));
    const caption = /** @type {HTMLElement} */ (this.grid.caption);
    this.grid.replaceChildren(caption, this.head(table, names), body);
    this.region.scrollTop = 0;
    const all = rows.length === 0 ? "No rows" : count(rows.length, "row");
    const shown = `${(this.start + 1).toLocaleString("en")} to ${end.toLocaleString("en")} of ${all}`;
    this.said.textContent = rows.length > ROWS ? shown : all;
    for (const one of [this.first, this.before]) one.disabled = this.start === 0;
    for (const one of [this.next, this.last]) one.disabled = end >= rows.length;
    for (const one of [this.first, this.before, this.next, this.last]) one.hidden = rows.length <= ROWS;
  }

  /**
   * @param {Table} table
   * @param {readonly string[]} names
   */
  head(table, names) {
    const cells = names.map((name) => {
      const cell = element("th", { scope: "col", textContent: name, title: this.units[name] ?? "" });
      if (isNumeric(table, name)) cell.className = "lp-number";
      return cell;
    });
    if (this.mark) cells.unshift(element("th", { scope: "col", textContent: "what became of it" }));
    return element("thead", {}, element("tr", {}, ...cells));
  }

  /**
   * @param {Table} table
   * @param {readonly string[]} names
   * @param {number} row
   */
  row(table, names, row) {
    const made = element("tr");
    if (this.mark) {
      const mark = this.mark(row);
      made.append(element("td", { textContent: mark?.text ?? "" }));
      if (mark) made.className = mark.name;
    }
    for (const name of names) {
      const cell = element("td", { textContent: cellText(table.value(name, row)) });
      if (isNumeric(table, name)) cell.className = "lp-number";
      made.append(cell);
    }
    return made;
  }
}
