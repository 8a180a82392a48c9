// What chapter 03b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/03b.mjs";
import { widgets as predictions } from "./predictions/03b.mjs";

export const widgets = { ...explorers, ...predictions };
