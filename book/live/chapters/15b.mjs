// What chapter 15b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/15b.mjs";
import { widgets as predictions } from "./predictions/15b.mjs";

export const widgets = { ...explorers, ...predictions };
