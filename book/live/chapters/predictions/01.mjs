// Chapter 1: the goodput of three changed networks.

import { goodput } from "../shared/reading.mjs";

/** @param {import("../shared/types.mjs").Result} result */
const measure = (result) => goodput(result);

export const widgets = { "guess-A": { measure }, "guess-B": { measure }, "guess-C": { measure } };
