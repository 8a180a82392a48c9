// What chapter 17's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/17.mjs";
import { widgets as predictions } from "./predictions/17.mjs";

export const widgets = { ...explorers, ...predictions };
