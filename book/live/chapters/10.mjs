// What chapter 10's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/10.mjs";
import { widgets as predictions } from "./predictions/10.mjs";

export const widgets = { ...explorers, ...predictions };
