// The packet player in a page that was not made with one: its scripts (labkit/player/static), and films in figures.

import { FILM } from "../decode/facts.mjs";

/** @typedef {import("./player.mjs").Film} Film */
/** @typedef {import("./described.mjs").Shown} Shown */
/**
 * What the scripts offer; mount returns what can be done with a film: seek, toggle, state.
 * @typedef {{mount: (root: HTMLElement, film: Film) => object}} Scripts
 */

const STATIC = new URL("../../labkit/player/static/", import.meta.url);

/** @type {Promise<Scripts> | null} */
let loading = null;

/**
 * The player's scripts, loaded once for a page.
 * @returns {Promise<Scripts>}
 */
export function loadPlayer() {
  loading ??= load().catch((error) => {
    loading = null; // to be tried again
    throw error;
  });
  return loading;
}

/** @returns {Promise<Scripts>} */
async function load() {
  if (known() === undefined) {
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet" });
    const sheet = loaded(style, () => Object.assign(style, { href: new URL(FILM.style, STATIC).href }));
    const scripts = FILM.scripts.map((name) => {
      const script = Object.assign(document.createElement("script"), { async: false }); // one after the other
      return loaded(script, () => Object.assign(script, { src: new URL(name, STATIC).href }));
    });
    await Promise.all([sheet, ...scripts]);
  }
  const found = known();
  if (found === undefined) throw new Error("the packet player's scripts were loaded, and there is no player");
  return found;
}

/** @returns {Scripts | undefined} */
function known() {
  const { LabkitPlayer: found } = /** @type {{LabkitPlayer?: Partial<Scripts>}} */ (
    /** @type {unknown} */ (window)
  );
  return found?.mount === undefined ? undefined : /** @type {Scripts} */ (found);
}

/**
 * @param {HTMLElement} element of the head
 * @param {() => void} named says where it is
 * @returns {Promise<void>}
 */
function loaded(element, named) {
  return new Promise((done, failed) => {
    element.addEventListener("load", () => done());
    element.addEventListener("error", () => {
      element.remove();
      failed(new Error("the packet player's scripts could not be loaded: look at the connection, try again"));
    });
    named();
    document.head.append(element);
  });
}

/**
 * A film as a figure with its caption and its data as a table. It draws itself when it comes to have room in the page,
 * in the colours that it finds where it stands when it is made.
 * @param {Film} film
 * @param {HTMLElement} [place] where it stands from the start, instead of what is there
 * @returns {Promise<HTMLElement & {player: object}>}
 */
export async function playerFigure(film, place) {
  const { mount } = await loadPlayer();
  const root = document.createElement("div");
  const figure = document.createElement("figure");
  const caption = Object.assign(document.createElement("figcaption"), { textContent: film.caption });
  figure.append(root, caption, folded(film.table));
  place?.replaceChildren(figure);
  return Object.assign(figure, { player: mount(root, film) });
}

/** @param {Shown} table */
function folded({ columns, rows }) {
  const details = Object.assign(document.createElement("details"), { className: "lpp-table" });
  const summary = Object.assign(document.createElement("summary"), { textContent: "Data as a table" });
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const [title] of columns) {
    head.append(Object.assign(document.createElement("th"), { scope: "col", textContent: title }));
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const value of row) line.insertCell().textContent = String(value);
  }
  const box = document.createElement("div");
  box.append(table);
  details.append(summary, box);
  return details;
}
