// Several figures over time above each other, as one, all over the same time: the window above the queue.

/** @typedef {import("./figure.mjs").Figure} Figure */
/** @typedef {import("./figure.mjs").Json} Json */

const APART = { color: "independent", shape: "independent", strokeDash: "independent" };

/**
 * Data and views get the figure's number in front ("1-cwnd"), as each figure brings its own by fixed names.
 * @param {...Figure} figures
 * @returns {Figure}
 */
export function stacked(...figures) {
  const data = figures.flatMap((figure, i) =>
    Object.entries(figure.data).map(([name, rows]) => [`${i + 1}-${name}`, rows]),
  );
  return {
    data: Object.fromEntries(data),
    description: figures.map(({ description }) => description).join(" "),
    chart: {
      vconcat: figures.map(({ chart }, i) => numbered(chart, i)),
      resolve: { scale: { ...APART, x: "shared" } },
    },
  };
}

/**
 * A figure as a part of another: a view's name ends with the number of its part, as Altair has it.
 * @param {Json} view
 * @param {number} part from 0 on
 * @returns {Json}
 */
function numbered(view, part) {
  const made = { ...view };
  if (view.data !== undefined) made.data = { ...view.data, name: `${part + 1}-${view.data.name}` };
  if (view.name !== undefined) made.name = `${part + 1}-${view.name}_${part}`;
  if (view.layer !== undefined) {
    made.layer = view.layer.map((/** @type {Json} */ one) => numbered(one, part));
  }
  return made;
}
