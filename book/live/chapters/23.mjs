// What chapter 23's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/23.mjs";
import { widgets as predictions } from "./predictions/23.mjs";

export const widgets = { ...explorers, ...predictions };
