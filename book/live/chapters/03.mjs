// What chapter 03's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/03.mjs";
import { widgets as predictions } from "./predictions/03.mjs";

export const widgets = { ...explorers, ...predictions };
