// Chapter 21: a page, object by object.

import { rounded } from "../../../../labkit/charts/js/numpy_arithmetic.mjs";
import { fixed } from "../../../../labkit/charts/js/words.mjs";
import { known, numbers, only, texts } from "../shared/reading.mjs";

/** @typedef {import("../shared/types.mjs").Result} Result */
/** @typedef {import("../shared/types.mjs").Drawn} Drawn */

/**
 * @param {Result} result
 * @returns {Drawn}
 */
function draw(result) {
  const objects = result.table("objects");
  const [ready, first, done] = ["ready_s", "first_byte_s", "done_s"].map((name) => numbers(objects, name));
  /** @param {number} at */
  const time = (at) => known(rounded(at, 3));
  const rows = texts(objects, "object").map((object, i) => ({
    object,
    ready_s: time(ready[i]),
    first_byte_s: time(first[i]),
    done_s: time(done[i]),
  }));
  return {
    data: { "data-1": rows },
    description: `A
bar for each object of the page: pale from when it was wanted to its first byte,
full from there to its last.`,
  };
}

/** @param {Result} result of one page */
function summary(result) {
  const load = numbers(result.table("pages"), "load_s")[0];
  const [{ dst }] = result.recorded.layout.flows;
  const lost = only(result.table("drops"), { cause: "wire loss", host: dst });
  return { "Page load": `${fixed(load, 2)} s`, "Packets lost": String(lost.length) };
}

export const widgets = { "explore-page": { draw, summary } };
