// What chapter 02's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/02.mjs";
import { widgets as predictions } from "./predictions/02.mjs";

export const widgets = { ...explorers, ...predictions };
