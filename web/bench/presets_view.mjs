// @ts-check
/* Experiments to begin with. */

import { button, element } from "../widgets/dom.mjs";
import { PRESETS } from "./presets.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

/**
 * @param {(json: JsonObject, title: string) => void} open
 */
export function presetsView(open) {
  const items = PRESETS.map(({ title, what, chapter, page, experiment }) => {
    const take = button(title, () => open(structuredClone(experiment), title));
    const link = element("a", { href: `../chapters/${page}.html`, textContent: chapter });
    return element("li", {}, take, element("p", {}, `${what} (`, link, ")"));
  });
  return element(
    "section",
    { className: "lp-presets", "aria-label": "Experiments to begin with" },
    element("h2", { textContent: "Begin with one of these" }),
    element("ul", {}, ...items),
  );
}
