// What chapter 04's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/04.mjs";
import { widgets as predictions } from "./predictions/04.mjs";

export const widgets = { ...explorers, ...predictions };
