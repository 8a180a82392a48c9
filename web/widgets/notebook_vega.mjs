// @ts-check
/* How a notebook draws a chart. JupyterLab and Notebook have Vega-Lite, and draw this chart as they draw any other; other
 * front ends load Vega from where they load widgets from. */

const MIME = "application/vnd.vegalite.v5+json";
const EMBED = "https://cdn.jsdelivr.net/npm/vega-embed@7/+esm";

/**
 * @param {import("./kernel.mjs").Model} model
 * @returns {import("./explorer.mjs").Draw}
 */
export function drawer(model) {
  const rendermime = model.widget_manager?.rendermime;
  return rendermime?.mimeTypes.includes(MIME) ? byFrontEnd(rendermime) : byVega;
}

/**
 * @param {any} rendermime
 * @returns {import("./explorer.mjs").Draw}
 */
function byFrontEnd(rendermime) {
  /** @type {WeakMap<HTMLElement, Promise<void>>} */
  const last = new WeakMap();
  /** @type {WeakMap<HTMLElement, {dispose: () => void}>} */
  const shown = new WeakMap();
  return (view, spec, { data }) => {
    const drawing = (last.get(view) ?? Promise.resolve()).then(async () => {
      const renderer = rendermime.createRenderer(MIME);
      const datasets = { ...spec.datasets, ...data };
      await renderer.renderModel(rendermime.createModel({ data: { [MIME]: { ...spec, datasets } } }));
      view.replaceChildren(renderer.node);
      shown.get(view)?.dispose();
      shown.set(view, renderer);
    });
    last.set(
      view,
      drawing.catch(() => {}), // who asked for it is told; the next one is drawn all the same
    );
    return drawing;
  };
}

/** @type {import("./explorer.mjs").Draw} */
async function byVega(view, spec, { data }) {
  const { default: embed } = await import(EMBED);
  const datasets = { ...spec.datasets, ...data };
  const { view: drawn } = await embed(
    view,
    { ...spec, datasets },
    { mode: "vega-lite", renderer: "svg", actions: false },
  );
  return drawn;
}
