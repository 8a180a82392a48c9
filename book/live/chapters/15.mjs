// What chapter 15's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/15.mjs";
import { widgets as predictions } from "./predictions/15.mjs";

export const widgets = { ...explorers, ...predictions };
