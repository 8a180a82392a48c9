// @ts-check
/* The tables of a run, each behind a fold and made when that is opened. */

import { pieces } from "../decode/csv.mjs";
import { ProbeMissingError, Result } from "../results/result.mjs";
import { button, element } from "../widgets/dom.mjs";
import { labelled, menu } from "./controls.mjs";
import { PagedTable } from "./paged_table.mjs";
import { save } from "./saving.mjs";

/** @typedef {import("../decode/table.mjs").Table} Table */

/**
 * @param {string} title
 * @param {() => Node} make
 * @param {boolean} [open]
 */
export function folded(title, make, open = false) {
  const box = element("details", { className: "lp-result" }, element("summary", { textContent: title }));
  const fill = () => {
    if (box.open && box.childElementCount === 1) box.append(made(make));
  };
  box.addEventListener("toggle", fill);
  box.open = open;
  return box;
}

/** @param {() => Node} make */
function made(make) {
  try {
    return make();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return element("p", { className: "lp-note", textContent: text });
  }
}

/**
 * A table with a button that saves it.
 * @param {string} name
 * @param {Table} table
 * @param {string} stem
 */
export function tableView(name, table, stem) {
  const paged = new PagedTable(name, { units: unitsOf(name) });
  paged.show(table);
  const keep = button("Save this table (.csv)", () => keepTable(name, table, stem));
  return element("div", {}, paged.box, element("div", { className: "lp-buttons" }, keep));
}

/**
 * @param {string} name
 * @param {Table} table
 * @param {string} stem
 */
function keepTable(name, table, stem) {
  save(`${stem}-${name}.csv`, [...pieces(table)], "text/csv");
}

/** @param {string} name */
function unitsOf(name) {
  try {
    return Result.units(name);
  } catch {
    return {}; // a table without: the ledger's are known by another name
  }
}

/**
 * Any table of the run that has rows.
 * @param {Result} result
 * @param {string} stem
 */
export function anyTable(result, stem) {
  const names = Result.tables.filter((name) => rowsOf(result, name) > 0);
  const which = menu(
    names.map((name) => [name, name]),
    names.includes("counters") ? "counters" : (names[0] ?? ""),
  );
  const place = element("div");
  const show = () =>
    place.replaceChildren(made(() => tableView(which.value, result.table(which.value), stem)));
  which.addEventListener("change", show);
  if (names.length) show();
  return element("div", {}, element("div", { className: "lp-fields" }, labelled("Table", which)), place);
}

/**
 * 0 if it was not recorded.
 * @param {Result} result
 * @param {string} name
 */
function rowsOf(result, name) {
  try {
    return result.table(name).length;
  } catch (error) {
    if (error instanceof ProbeMissingError) return 0;
    throw error;
  }
}
