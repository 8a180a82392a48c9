// Chapter 21b: what CoDel makes of a call beside four uploads.

import { lostOrLate } from "../shared/call.mjs";

export const widgets = { "predict-codel": { measure: lostOrLate } };
