// What chapter 14's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/14.mjs";
import { widgets as predictions } from "./predictions/14.mjs";

export const widgets = { ...explorers, ...predictions };
