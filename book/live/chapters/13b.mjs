// What chapter 13b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/13b.mjs";
import { widgets as predictions } from "./predictions/13b.mjs";

export const widgets = { ...explorers, ...predictions };
