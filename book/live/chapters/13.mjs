// What chapter 13's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/13.mjs";
import { widgets as predictions } from "./predictions/13.mjs";

export const widgets = { ...explorers, ...predictions };
