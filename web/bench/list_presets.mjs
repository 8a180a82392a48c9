// Prints the bench's experiments to begin with, as the bench asks for them: book/extensions/live/presets.py compiles them.

import { experimentOf } from "./experiment.mjs";
import { PRESETS } from "./presets.mjs";
import { formOf } from "./reading.mjs";

const asked = PRESETS.map(({ experiment }) => {
  const { form, beyond } = formOf(experiment);
  return beyond.length ? experiment : experimentOf(form);
});
console.log(JSON.stringify(asked));
