// What chapter 07's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/07.mjs";
import { widgets as predictions } from "./predictions/07.mjs";

export const widgets = { ...explorers, ...predictions };
