// What chapter 22's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/22.mjs";
import { widgets as predictions } from "./predictions/22.mjs";

export const widgets = { ...explorers, ...predictions };
