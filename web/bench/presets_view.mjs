// @ts-check
/* Experiments to begin with. */

import { button, element } from "../widgets/dom.mjs";
import { PRESETS } from "./presets.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

const FIRST =
  "Each runs at once. Then change something on the form, and run it again: the run before stays in grey.";

/**
 * @param {(json: JsonObject, title: string) => void} open
 */
export function presetsView(open) {
  const about = element("p", { className: "lp-note", role: "status", textContent: FIRST });
  const items = PRESETS.map(({ title, what, chapter, page, experiment }) => {
    const take = button(title, () => {
      const link = element("a", { href: `../chapters/${page}.html`, textContent: chapter });
      about.replaceChildren(`${what} (`, link, ")");
      open(structuredClone(experiment), title);
    });
    take.title = what;
    return element("li", {}, take);
  });
  return element(
    "section",
    { className: "lp-presets", "aria-label": "Experiments to begin with" },
    element("h2", { textContent: "Begin with one of these" }),
    element("ul", {}, ...items),
    about,
  );
}
