// What chapter 21b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/21b.mjs";
import { widgets as predictions } from "./predictions/21b.mjs";

export const widgets = { ...explorers, ...predictions };
