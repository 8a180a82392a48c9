// Chapter 30: a page, object by object.

import { rounded } from "../charts/numpy_arithmetic.mjs";
import { known, numbers, texts } from "./shared/reading.mjs";

/** @typedef {import("./shared/types.mjs").Result} Result */
/** @typedef {import("./shared/types.mjs").Drawn} Drawn */

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

export const figures = { "explore-page": draw };
