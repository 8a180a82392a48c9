// What chapter 16's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/16.mjs";
import { widgets as predictions } from "./predictions/16.mjs";

export const widgets = { ...explorers, ...predictions };
