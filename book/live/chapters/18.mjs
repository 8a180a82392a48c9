// What chapter 18's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/18.mjs";
import { widgets as predictions } from "./predictions/18.mjs";

export const widgets = { ...explorers, ...predictions };
