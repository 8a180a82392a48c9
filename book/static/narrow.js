// What changes in a chart where there is little room: titles go on in the next line, names of curves move into a
// legend below, legends get columns that fit, and a plot makes room for a note that would leave the picture.
// window.LostPacketsNarrow: for lostpackets.js, which draws.

(() => {
  "use strict";

  const NARROW = 480; // px
  const TITLE = 14;   // px of a chart's title, of an axis's and of a legend's words (labkit/charts/theme.py)
  const WORDS = 12;
  const SIGN = 35;    // px of a legend's sign and the gap to its words
  const ROWS = 0.65;  // of the picture's width; where the plot has less, names of rows are in two lines

  const PARTS = ["hconcat", "vconcat", "concat", "spec", "layer"]; // where a chart holds others
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const inParts = (spec, f) => {
    const copy = {...spec};
    for (const part of PARTS) {
      if (Array.isArray(copy[part])) copy[part] = copy[part].map(f);
      else if (isObject(copy[part])) copy[part] = f(copy[part]);
    }
    return copy;
  };

  // ---- Words in lines ----

  const pen = document.createElement("canvas").getContext("2d");
  const inLines = (text, room, font) => {
    const width = 0.95 * room; // the chart's font may be a little wider
    pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines.length > 1 ? lines : text;
  };

  const titled = (title, width) => {
    if (typeof title === "string") return inLines(title, width, `600 ${TITLE}px`);
    return typeof title?.text === "string" ? {...title, text: inLines(title.text, width, `600 ${TITLE}px`)} : title;
  };

  // Titles of the plots in it and of their axes, as long as these are. room: {width, height} of a plot that gives
  // none; `drawn`: they are the plot's real ones, whatever it gives.
  const worded = (spec, room) => {
    const {drawn} = room;
    const side = (name) => (typeof spec[name] === "number" && !drawn ? spec[name] : room[name]);
    const own = {width: side("width"), height: side("height"), drawn};
    const copy = inParts(spec, (part) => worded(part, own));
    if (copy.title && own.width && !drawn) copy.title = titled(copy.title, own.width);
    if (!copy.encoding) return copy;
    copy.encoding = {...copy.encoding};
    for (const channel of ["x", "y"]) {
      const axis = copy.encoding[channel];
      const long = channel === "x" || axis?.axis?.titleAngle === 0 ? own.width : own.height;
      if (!axis || !long) continue;
      const lines = (title) => (typeof title === "string" ? inLines(title, long, `${WORDS}px`) : title);
      copy.encoding[channel] = {...axis};
      if (axis.title) copy.encoding[channel].title = lines(axis.title);
      if (axis.axis?.title) copy.encoding[channel].axis = {...axis.axis, title: lines(axis.axis.title)};
    }
    return copy;
  };

  // A row's name in two lines, broken at the first space behind the first 40 %.
  const HEAD = "floor(0.4 * length(datum.label))";
  const SPACE = `${HEAD} + indexof(slice(datum.label, ${HEAD}), ' ')`;
  const IN_TWO = `length(datum.label) < 12 || indexof(slice(datum.label, ${HEAD}), ' ') < 0 ? datum.label : ` +
    `[slice(datum.label, 0, ${SPACE}), slice(datum.label, ${SPACE} + 1)]`;
  const rowsInTwo = (spec) => {
    const copy = inParts(spec, rowsInTwo);
    const y = copy.encoding?.y;
    if (!["nominal", "ordinal"].includes(y?.type) || y.axis === null || y.axis?.labelExpr) return copy;
    return {...copy, encoding: {...copy.encoding, y: {...y, axis: {...y.axis, labelExpr: IN_TWO, labelOverlap: false}}}};
  };

  // ---- Names of curves (labkit/charts/direct.py) ----

  const isNames = ({name, encoding}) => name?.endsWith("-names") && encoding.color;
  const withLegend = (spec) => {
    const copy = inParts(spec, withLegend);
    const names = copy.layer?.find(isNames);
    if (!names) return copy;
    const {data, encoding} = names;
    copy.layer = copy.layer.filter((one) => !isNames(one)).map((one) => {
      if (one.data.name !== data.name || one.encoding.color?.field !== encoding.color.field) return one;
      const {color, strokeDash, ...rest} = one.encoding;
      return {...one, encoding: {...rest, color: {...color, legend: {}}, strokeDash: {...strokeDash, legend: {}}}};
    });
    return copy;
  };

  // ---- Before and after a first drawing ----

  // Legends below each other, from the picture's left edge on and not from the plot's.
  const LAYOUT = {direction: "vertical", bounds: "full", anchor: "start"};
  const CONFIG = {
    legend: {orient: "bottom", direction: "horizontal", columns: 2, labelLimit: 140, layout: {bottom: LAYOUT}},
    headerRow: {labelOrient: "top", labelAnchor: "start", labelAngle: 0},
  };

  // Legends of the chart's own may say otherwise than its configuration does.
  const withLegends = (spec, look) => {
    const copy = inParts(spec, (part) => withLegends(part, look));
    if (!copy.encoding) return copy;
    copy.encoding = Object.fromEntries(Object.entries(copy.encoding).map(([channel, one]) =>
      [channel, isObject(one?.legend) ? {...one, legend: {...one.legend, ...look}} : one]));
    return copy;
  };

  // The title of a layer is that of its plot.
  const withTitles = (spec, width) => {
    const copy = {...spec, title: titled(spec.title, width)};
    if (copy.layer) copy.layer = copy.layer.map((one) => withTitles(one, width));
    return JSON.parse(JSON.stringify(copy)); // without what is `undefined`
  };

  const prepared = (spec, width) =>
    withTitles(withLegend(withLegends(spec, {orient: "bottom", direction: "horizontal"})), width);

  // How far words of one kind reach beyond the picture, to the left and to the right, in px.
  const beyond = (svg, texts) => {
    const frame = svg.getBoundingClientRect();
    const boxes = [...texts].map((text) => text.getBoundingClientRect()).filter(({width}) => width);
    return {
      left: Math.ceil(Math.max(0, ...boxes.map((box) => frame.left - box.left))),
      right: Math.ceil(Math.max(0, ...boxes.map((box) => box.right - frame.right))),
    };
  };

  // px from one row of the chart to the next; infinite if it has no two.
  const rowStep = (svg) => Math.min(...[...svg.querySelectorAll(".role-axis-label")].flatMap((labels) => {
    const tops = [...labels.querySelectorAll("text")].map((text) => text.getBoundingClientRect().top).sort((a, b) => a - b);
    return tops.slice(1).map((top, i) => top - tops[i]).filter((step) => step > 1);
  }));

  // The chart as it is to be drawn again, now that the size of its plot is known; null if all is well as it is.
  const corrected = (spec, svg, plot) => {
    let better = worded(spec, {...plot, drawn: true});
    const isTight = plot.width < ROWS * svg.getBoundingClientRect().width;
    if (isTight && rowStep(svg) >= 2 * WORDS) better = rowsInTwo(better);
    const labels = svg.querySelectorAll(".role-legend-label text");
    if ([...labels].some((one) => one.textContent.endsWith("…")) || beyond(svg, labels).right) {
      const one = {columns: 1, labelLimit: svg.getBoundingClientRect().width - SIGN};
      better = withLegends({...better, config: {...better.config, legend: {...better.config.legend, ...one}}}, one);
    }
    const notes = beyond(svg, svg.querySelectorAll(".role-mark.mark-text text, .role-axis-label text"));
    if (notes.left || notes.right) {
      const room = (over) => 5 + Math.min(2 * over, plot.width / 3); // words move with the plot, half as far or farther
      better = {...better, padding: {left: room(notes.left), right: room(notes.right), top: 5, bottom: 5}};
    }
    return JSON.stringify(better) === JSON.stringify(spec) ? null : better;
  };

  window.LostPacketsNarrow = {NARROW, CONFIG, prepared, worded, corrected};
})();
