// @ts-check
/* Widgets on the site: recorded runs, drawn by LostPackets (book/static/lostpackets.js), and "Run it here" where the site
 * carries the laboratory. Before a click that is fetched only for a figure that the reader has reached, where it costs nothing.
 *
 * The script's data-start names what a click starts, a figure's data-refused says why its experiments cannot be run in a page. */

import { isFree, whenReached } from "./ahead.mjs";
import { button, element } from "./dom.mjs";
import { Explorer } from "./explorer.mjs";
import { Memory } from "./memory.mjs";
import { check, recorded } from "./points.mjs";
import { Prediction } from "./prediction.mjs";

/** @typedef {import("./points.mjs").Json} Json */
/**
 * @typedef {{draw: import("./explorer.mjs").Draw,
 *   register: (kind: string, f: (figure: HTMLElement, payload: any) => Promise<void>) => void}} LostPackets
 */

const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const { draw, register } = /** @type {{LostPackets: LostPackets}} */ (/** @type {unknown} */ (window))
  .LostPackets;
const starter = script.dataset.start;
const memory = new Memory(new URL("..", script.src).href);
/** What a link says of a figure's knobs: "#window?loss=5%25&cc=reno". */
const [linked, wanted] = location.hash.slice(1).split("?");

/** @param {string} name */
function kept(name) {
  const put = (/** @type {unknown} */ value) => memory.put(location.href, name, value);
  return { was: memory.entry(location.href)[name] ?? null, put };
}

/**
 * Of the runs that were made here; those of another recording are no more.
 * @param {string} id
 * @param {Json} payload
 */
function dotsKept(id, { description }) {
  const { was, put } = kept(`${id} runs`);
  const had = was?.of === description && Array.isArray(was.runs) ? was.runs : [];
  return { had, keep: (/** @type {Json[]} */ runs) => put(runs.length ? { of: description, runs } : null) };
}

register("explorer", async (figure, payload) => {
  check(payload);
  const { was, put } = kept(figure.id);
  const values =
    figure.id === linked && wanted ? Object.fromEntries(new URLSearchParams(wanted)) : (was ?? {});
  const link = (/** @type {Record<string, string>} */ there) =>
    new URL(`#${figure.id}?${new URLSearchParams(there)}`, location.href).href;
  const face = new Explorer(figure, payload, {
    draw,
    points: recorded(payload),
    seed: starter && whyNot(figure) === null ? "as recorded" : null, // nothing moves when it can be typed
    memory: { values, keep: put, link, dots: dotsKept(figure.id, payload) },
  });
  offer(face);
  await face.show();
});

register("predict", async (figure, payload) => {
  check(payload);
  const { was, put } = kept(figure.id);
  const face = new Prediction(figure, payload, { draw, recorded: payload, memory: { said: was, keep: put } });
  offer(face);
  await face.show();
});

/**
 * A button that fetches the laboratory, or why there is none.
 * @param {Explorer | Prediction} face
 */
function offer(face) {
  if (!starter) return;
  const why = whyNot(face.figure);
  const said = element("p", { className: "lp-note", role: "status", textContent: why ?? "" });
  face.place.append(element("div", { className: "lp-live" }, said));
  if (why) return;
  const starting = button("Run it here", async () => {
    starting.disabled = true;
    try {
      const { start } = await laboratory();
      await start(face, { button: starting, said });
    } catch (error) {
      said.textContent = `It cannot be run here: ${error instanceof Error ? error.message : error}`;
      starting.disabled = false;
    }
  });
  said.before(starting);
  const { connection } = /** @type {{connection?: import("./ahead.mjs").Connection}} */ (navigator);
  if (isFree(connection, matchMedia("(pointer: fine)").matches))
    whenReached(face.figure, () => fetchAhead(face));
}

const laboratory = () => import(new URL(/** @type {string} */ (starter), script.src).href);

/** @param {Explorer | Prediction} face */
async function fetchAhead(face) {
  try {
    await (await laboratory()).ahead(face);
  } catch (error) {
    console.warn("the laboratory was not fetched ahead:", error);
  }
}

/** @param {HTMLElement} figure */
function whyNot({ dataset: { refused } }) {
  return refused ? `It is not run here: ${refused}.` : lacking();
}

/** Why this browser or address cannot, as far as it is known without fetching anything; null: it can. */
function lacking() {
  if (location.protocol === "file:") {
    return "To run it here, open these pages over http: a browser starts no laboratory from a file.";
  }
  const can =
    typeof WebAssembly === "object" &&
    typeof Worker === "function" &&
    typeof DecompressionStream === "function" &&
    "noModule" in HTMLScriptElement.prototype;
  return can ? null : "This browser cannot run it here: it lacks WebAssembly, or workers that load modules.";
}

if (wanted) document.getElementById(linked)?.scrollIntoView();
