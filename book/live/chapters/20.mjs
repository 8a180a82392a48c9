// What chapter 20's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/20.mjs";
import { widgets as predictions } from "./predictions/20.mjs";

export const widgets = { ...explorers, ...predictions };
