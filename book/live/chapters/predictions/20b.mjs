// Chapter 20b: the rate that most packet pairs say.

import { modes, rates } from "../shared/dispersion.mjs";

const WIRE = 1514; // bytes of a packet on the wire

export const widgets = {
  "predict-pairs": {
    /** @param {import("../shared/types.mjs").Result} result */
    measure: (result) =>
      modes(
        rates(result.table("trains"), WIRE).map((rate) => rate / 1e6),
        0.02,
      )[0].value,
  },
};
