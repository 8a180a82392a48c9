// What chapter 08's live widgets compute of a run: its explorer's and its predictions'.

import { widgets as explorers } from "./explorers/08.mjs";
import { widgets as predictions } from "./predictions/08.mjs";

export const widgets = { ...explorers, ...predictions };
