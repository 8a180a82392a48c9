// @ts-check
/* A press of a button takes the focus from a field before it is let go: what is said of the field then would move the
 * button away from under the pointer, and the press would be none. */

let isPressed = false;
/** @type {(() => void)[]} */
let waiting = [];

addEventListener("pointerdown", () => (isPressed = true), { capture: true });
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, letGo, { capture: true });

function letGo() {
  isPressed = false;
  const now = waiting;
  waiting = [];
  setTimeout(() => {
    for (const act of now) act(); // after the click
  });
}

/**
 * At once, or as soon as the pointer that is pressed is let go.
 * @param {() => void} act
 */
export function whenLetGo(act) {
  if (isPressed) waiting.push(act);
  else act();
}
