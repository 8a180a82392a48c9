// What chapter 06's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/06.mjs";
import { widgets as predictions } from "./predictions/06.mjs";

export const widgets = { ...explorers, ...predictions };
