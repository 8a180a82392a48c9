// What chapter 01's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/01.mjs";
import { widgets as predictions } from "./predictions/01.mjs";

export const widgets = { ...explorers, ...predictions };
