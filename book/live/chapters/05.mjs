// What chapter 05's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/05.mjs";
import { widgets as predictions } from "./predictions/05.mjs";

export const widgets = { ...explorers, ...predictions };
