// What chapter 14b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/14b.mjs";
import { widgets as predictions } from "./predictions/14b.mjs";

export const widgets = { ...explorers, ...predictions };
