// What chapter 09's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/09.mjs";
import { widgets as predictions } from "./predictions/09.mjs";

export const widgets = { ...explorers, ...predictions };
