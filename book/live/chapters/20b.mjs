// What chapter 20b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/20b.mjs";
import { widgets as predictions } from "./predictions/20b.mjs";

export const widgets = { ...explorers, ...predictions };
