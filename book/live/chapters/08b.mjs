// What chapter 08b's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/08b.mjs";
import { widgets as predictions } from "./predictions/08b.mjs";

export const widgets = { ...explorers, ...predictions };
