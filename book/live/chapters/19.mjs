// What chapter 19's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/19.mjs";
import { widgets as predictions } from "./predictions/19.mjs";

export const widgets = { ...explorers, ...predictions };
