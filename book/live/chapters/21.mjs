// What chapter 21's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/21.mjs";
import { widgets as predictions } from "./predictions/21.mjs";

export const widgets = { ...explorers, ...predictions };
