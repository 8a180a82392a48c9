// What chapter 12's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/12.mjs";
import { widgets as predictions } from "./predictions/12.mjs";

export const widgets = { ...explorers, ...predictions };
