// @ts-check
/* A curve's points, set by pointing at its plot. */

/** @typedef {import("./points.mjs").Json} Json */

/**
 * @param {HTMLElement} view
 * @param {Json} asked
 * @param {{inputs: HTMLInputElement[], isOpen: () => boolean}} answer
 * @returns {(drawn: any) => void} to be told of Vega's view whenever it is drawn; null: of none
 */
export function pointable(view, asked, { inputs, isOpen }) {
  /** @type {any} */
  let plot = null;
  let isDown = false;
  const set = (/** @type {PointerEvent} */ event) => {
    const box = view.querySelector("svg")?.getBoundingClientRect();
    if (!plot || !box || !isOpen()) return;
    const [left, top] = plot.origin();
    const [across, up] = [event.clientX - box.left - left, event.clientY - box.top - top];
    const scale = plot.scale("x");
    const half = (scale.bandwidth?.() ?? 0) / 2;
    const gaps = asked.x_values.map((/** @type {any} */ x) => Math.abs(scale(x) + half - across));
    const y = Math.min(Math.max(plot.scale("y").invert(up), asked.low), asked.high);
    const input = inputs[gaps.indexOf(Math.min(...gaps))];
    input.value = String(Number(y.toPrecision(3)));
    input.dispatchEvent(new Event("input"));
  };
  view.addEventListener("pointerdown", (event) => {
    if (!plot || event.button || !(/** @type {Element} */ (event.target).closest("svg"))) return;
    isDown = true;
    view.setPointerCapture(event.pointerId);
    event.preventDefault();
    set(event);
  });
  view.addEventListener("pointermove", (event) => {
    if (isDown) set(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    view.addEventListener(end, () => {
      isDown = false;
    });
  }
  return (drawn) => {
    plot = drawn;
  };
}
