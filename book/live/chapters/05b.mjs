// What chapter 05b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/05b.mjs";
import { widgets as predictions } from "./predictions/05b.mjs";

export const widgets = { ...explorers, ...predictions };
