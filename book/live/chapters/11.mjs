// What chapter 11's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/11.mjs";
import { widgets as predictions } from "./predictions/11.mjs";

export const widgets = { ...explorers, ...predictions };
