// @ts-check
/* Sick networks on the site: what the tools printed was recorded; the reader looks, and names what is wrong. The payload is
 * described in labkit/mysteries/game.py. */

import { count } from "../charts/words.mjs";
import { element } from "./dom.mjs";

/** @typedef {import("./points.mjs").Json} Json */

const FORMAT = 1;

const option = (/** @type {any} */ value, /** @type {any} */ text = value) =>
  element("option", { value, textContent: text });
const distinct = (/** @type {any[]} */ values) => [...new Set(values)];

// As labkit/mysteries/game.py, seal(): JSON, xor the key, in base64.
const unsealed = (/** @type {Json} */ { sealed, key }) => {
  const keys = new TextEncoder().encode(key);
  const bytes = Uint8Array.from(atob(sealed), (char, i) => char.charCodeAt(0) ^ keys[i % keys.length]);
  return JSON.parse(new TextDecoder().decode(bytes));
};

// As labkit/mysteries/diagnosis.py, points().
/** @type {(points: number[], right: boolean, placed: boolean, looks: number) => number} */
const pointsOf = ([forCause, forPlace, free, least], right, placed, looks) =>
  right ? Math.max(forCause + (placed ? forPlace : 0) - Math.max(looks - free, 0), least) : 0;

/** @type {(id: string, label: string, values: HTMLElement[]) => {select: HTMLSelectElement, box: HTMLElement}} */
const field = (id, label, values) => {
  const select = element("select", { id }, ...values);
  return {
    select,
    box: element("div", { className: "lp-knob" }, element("label", { htmlFor: id }, label), select),
  };
};

/** @type {(truth: Json, right: boolean, placed: boolean) => string} */
const verdictOf = (truth, right, placed) => {
  const how = placed ? "Right" : right ? "Right, but elsewhere" : "No";
  const lost = truth.lost.map(
    (/** @type {any[]} */ [host, peer, cause, packets]) =>
      `  ${packets} at ${host}${peer ? ` towards ${peer}` : ""}: ${cause}`,
  );
  return [`${how}: ${truth.said}`, ...(lost.length ? ["Of the transfers were lost:", ...lost] : [])].join(
    "\n",
  );
};

/** @type {(figure: HTMLElement, payload: Json) => void} */
const mystery = (figure, payload) => {
  if (payload.format !== FORMAT) {
    throw new Error(
      `it was recorded by another labkit (format ${payload.format}, this page reads ${FORMAT}). ` +
        "Record the chapter again.",
    );
  }
  const id = figure.id;
  const states = /** @type {{seen: Set<string>, points: number | null}[]} */ (
    payload.rounds.map(() => ({ seen: new Set(), points: null }))
  );
  const which = field(
    `${id}-which`,
    "Network",
    payload.rounds.map((/** @type {Json} */ one, /** @type {number} */ i) => option(i, one.title)),
  );
  const host = field(`${id}-host`, "Host", []);
  const typed = field(`${id}-typed`, "Command", []);
  const cause = field(`${id}-cause`, "Cause", [
    option("", "choose …"),
    ...payload.causes.map((/** @type {string} */ one) => option(one)),
  ]);
  const place = field(`${id}-place`, "Place", [
    option("", "nowhere"),
    ...payload.places.map((/** @type {string} */ one) => option(one)),
  ]);
  const type = element("button", { type: "button", className: "lp-button lp-first", textContent: "Type it" });
  const diagnose = element("button", { type: "button", className: "lp-button", textContent: "Diagnose" });
  const plan = element("pre", { className: "lp-terminal" });
  const screen = element("pre", { className: "lp-terminal", tabIndex: 0 });
  screen.setAttribute("aria-label", "What the tool printed");
  screen.setAttribute("role", "region");
  const answer = element("pre", { className: "lp-terminal lp-answer" });
  const score = element("p", { className: "lp-verdict" });
  const spoken = element("div", {}, score, answer);
  spoken.setAttribute("aria-live", "polite");

  const at = () => Number(which.select.value);
  const round = () => payload.rounds[at()];

  const commands = () => {
    const all = round().looks.map((/** @type {any[]} */ look, /** @type {number} */ i) => [look, i]);
    const mine = all.filter((/** @type {any[]} */ [[, on]]) => on === host.select.value);
    typed.select.replaceChildren(
      ...mine.map((/** @type {any[]} */ [[when, , line], i]) => option(i, `[${when}] ${line}`)),
    );
  };

  const tell = () => {
    const { seen, points } = states[at()];
    const most = payload.points[0] + payload.points[1];
    const got = states.filter((one) => one.points !== null);
    const total = got.reduce((sum, one) => sum + (one.points ?? 0), 0);
    const here =
      points === null ? `${count(seen.size, "command")} typed here.` : `${points} of ${most} points here.`;
    score.textContent = `${here} All networks: ${total} of ${most * states.length} points.`;
  };

  const turn = () => {
    plan.textContent = round().plan;
    host.select.replaceChildren(
      ...distinct(round().looks.map((/** @type {any[]} */ [, on]) => on)).map((one) => option(one)),
    );
    commands();
    screen.textContent = answer.textContent = "";
    cause.select.value = place.select.value = "";
    diagnose.disabled = states[at()].points !== null;
    tell();
  };

  which.select.addEventListener("change", turn);
  host.select.addEventListener("change", commands);
  type.addEventListener("click", () => {
    const [when, on, line, numbers] = round().looks[Number(typed.select.value)];
    const lines =
      numbers === ""
        ? []
        : numbers.split(" ").map((/** @type {string} */ number) => payload.lines[Number(number)]);
    screen.textContent = [`[${when}] ${on}# ${line}`, ...lines].join("\n");
    screen.scrollTop = 0;
    states[at()].seen.add(typed.select.value);
    tell();
  });
  diagnose.addEventListener("click", () => {
    if (!cause.select.value) {
      score.textContent = "Choose a cause first.";
      return;
    }
    const truth = unsealed(round());
    const right = truth.cause === cause.select.value;
    const placed = right && truth.place === place.select.value;
    const state = states[at()];
    state.points = pointsOf(payload.points, right, placed, state.seen.size);
    diagnose.disabled = true;
    answer.textContent = verdictOf(truth, right, placed);
    tell();
  });

  const looks = element("div", { className: "lp-controls" }, which.box, host.box, typed.box, type);
  const said = element("div", { className: "lp-controls" }, cause.box, place.box, diagnose);
  const view = /** @type {HTMLElement} */ (figure.querySelector(".lp-view"));
  view.removeAttribute("role");
  view.removeAttribute("aria-label");
  view.replaceChildren(plan, looks, screen, said, spoken);
  turn();
};

/** @type {any} */ (window).LostPackets.register("mystery", mystery);
