// Draws the figures of a page with Vega, which is served beside this file and loaded by the first figure.
// window.LostPackets: draw(element, spec, {data}) and register(kind, f), for the scripts of other figures.
// Colours are the page's `currentColor`: dark mode and paper need no second drawing.

(() => {
  "use strict";

  const narrow = window.LostPacketsNarrow;
  const vegaUrl = new URL(document.currentScript.dataset.vega, document.currentScript.src);
  const FILLS = 500;    // px; charts made at least so wide take all the width there is
  const LEAST = 80;     // px; no plot of several gets narrower, the figure scrolls instead
  const NEAR = "800px"; // how far below the window a figure is drawn already

  // ---- Vega, once ----

  let vega = null;
  const loadVega = () => vega ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = vegaUrl;
    script.onload = () => resolve(window.vegaEmbed);
    script.onerror = () => reject(new Error("Vega could not be loaded from this site"));
    document.head.append(script);
  });

  // ---- The page's look over the chart's own ----

  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const merged = (under, over) => {
    const both = {...under};
    for (const [key, value] of Object.entries(over)) {
      both[key] = isObject(value) && isObject(both[key]) ? merged(both[key], value) : value;
    }
    return both;
  };

  const guide = {labelColor: "currentColor", titleColor: "currentColor"};
  const line = {domainColor: "currentColor", tickColor: "currentColor", gridColor: "currentColor"};
  const ink = () => ({
    aria: false, // the figure's description speaks for all of it
    background: "transparent",
    axis: {...guide, ...line, gridOpacity: 0.15, domainOpacity: 0.6, tickOpacity: 0.6, labelSeparation: 6},
    header: guide,
    legend: {...guide, symbolBaseFillColor: "currentColor", symbolBaseStrokeColor: "currentColor"},
    title: {color: "currentColor", subtitleColor: "currentColor"},
    text: {color: "currentColor"},
    rule: {color: "currentColor"},
    view: {stroke: "transparent"},
    line: {strokeWidth: 2},
  });

  const PARTS = ["hconcat", "vconcat", "concat", "spec", "layer"]; // where a chart holds others

  // Of a dashed line with points Vega makes a legend's mark that is a point with a dashed rim: it is the line alone.
  const STROKE = {symbolType: "stroke", symbolSize: 300};
  const withLines = (spec) => {
    if (spec.mark?.type !== "line" || !spec.mark.point || !spec.encoding?.strokeDash) return spec;
    const encoding = {...spec.encoding};
    for (const channel of ["color", "strokeDash"]) {
      const legend = encoding[channel]?.legend;
      if (legend !== null && encoding[channel]) encoding[channel] = {...encoding[channel], legend: {...STROKE, ...legend}};
    }
    return {...spec, encoding};
  };

  // A layer that has no rows yet draws nothing, and Vega would complain of the range of its fields.
  const tidied = (spec, rows) => {
    const copy = withLines({...spec});
    for (const part of PARTS) {
      if (Array.isArray(copy[part])) copy[part] = copy[part].map((one) => tidied(one, rows));
      else if (isObject(copy[part])) copy[part] = tidied(copy[part], rows);
    }
    const held = copy.layer?.filter((one) => rows[one.data?.name]?.length !== 0) ?? [];
    return held.length ? {...copy, layer: held} : copy;
  };

  const prepare = (spec, data, width) => {
    const own = {config: {font: getComputedStyle(document.body).fontFamily}};
    const page = {config: width < narrow.NARROW ? merged(ink(), narrow.CONFIG) : ink()};
    const look = merged(merged(own, spec), page);
    delete look.background;
    if (data) look.datasets = {...look.datasets, ...data};
    return tidied(width < narrow.NARROW ? narrow.prepared(look, width) : look, look.datasets ?? {});
  };

  // ---- Width ----

  const isCompound = (spec) => ["hconcat", "vconcat", "concat", "spec"].some((part) => part in spec) ||
    ["row", "column", "facet"].some((channel) => spec.encoding?.[channel]);

  // One plot (layers included): Vega fits axes and legend into the width.
  const fitted = (spec, room) => {
    const wanted = spec.width ?? spec.layer?.find((layer) => layer.width)?.width ??
      spec.config?.view?.continuousWidth ?? 300;
    if (typeof wanted !== "number" && wanted !== "container") return spec; // a step per category
    const width = wanted === "container" || wanted >= FILLS ? room : Math.min(wanted, room);
    return {...spec, width, autosize: {type: "fit-x", contains: "padding"}};
  };

  // Several plots: every width in it times `factor`.
  const scaled = (spec, factor) => {
    const copy = {...spec};
    if (typeof copy.width === "number") copy.width = Math.max(LEAST, Math.round(copy.width * factor));
    for (const part of PARTS) {
      if (Array.isArray(copy[part])) copy[part] = copy[part].map((one) => scaled(one, factor));
      else if (isObject(copy[part])) copy[part] = scaled(copy[part], factor);
    }
    return copy;
  };

  // Vega gets an element of its own and gives it a role; the outer one is a picture with a description.
  const embed = async (element, spec) => {
    const vegaEmbed = await loadVega();
    let chart = element.querySelector(":scope > .lp-chart");
    if (!chart) {
      chart = document.createElement("div");
      chart.className = "lp-chart";
      chart.ariaHidden = "true";
      element.replaceChildren(chart);
    }
    return vegaEmbed(chart, spec, {
      mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, bind: knobsOf(element),
      ast: true, // expressions are interpreted, not compiled: no `eval`, which a Content-Security-Policy forbids
    });
  };

  // A chart's own inputs stand beside the picture, where a keyboard and a screen reader find them.
  const knobsOf = (element) => {
    const next = element.nextElementSibling;
    if (next?.classList.contains("lp-knobs")) {
      next.replaceChildren();
      return next;
    }
    const knobs = document.createElement("div");
    knobs.className = "lp-knobs";
    element.after(knobs);
    return knobs;
  };

  const widthOf = (element) => element.querySelector("svg")?.getBoundingClientRect().width ?? 0;

  const embedOne = async (element, spec, room) => {
    const drawn = await embed(element, fitted(spec, room));
    const plot = {width: drawn.view.width(), height: drawn.view.height()};
    const better = room < narrow.NARROW && narrow.corrected(spec, element.querySelector("svg"), plot);
    if (!better) return drawn;
    drawn.finalize();
    return embed(element, fitted(better, room));
  };

  // Axes and gaps keep their width while plots shrink, so two drawings tell which factor fits; an axis that
  // then has other labels takes one more.
  const embedCompound = async (element, spec, room) => {
    let drawn = await embed(element, spec);
    let [factor, width] = [1, widthOf(element)];
    let perFactor = width;
    for (let attempt = 0; width > room && attempt < 4; attempt += 1) {
      const next = Math.max(0, factor - (width - room + Math.min(attempt, 1)) / perFactor);
      drawn.finalize();
      drawn = await embed(element, narrow.worded(scaled(spec, next), {}));
      const now = widthOf(element);
      if (now >= width) break;
      perFactor = (width - now) / (factor - next);
      [factor, width] = [next, now];
    }
    return drawn;
  };

  // ---- Drawing ----

  const drawings = new WeakMap(); // element -> {spec, data, room, turn, last, result}

  const embedNow = async (element, drawing) => {
    drawing.result?.finalize();
    drawing.result = null;
    drawing.room = Math.floor(element.clientWidth);
    const room = Math.max(drawing.room, drawing.spec.usermeta?.labkit?.least ?? 0);
    const look = prepare(drawing.spec, drawing.data, room);
    drawing.result = isCompound(look)
      ? await embedCompound(element, look, room)
      : await embedOne(element, look, room);
    element.style.minHeight = "";
    const scrolls = element.scrollWidth > element.clientWidth;
    element.toggleAttribute("data-scrolls", scrolls);
    if (scrolls) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };

  // One drawing at a time in one element; of those that wait, only the latest is made.
  const redraw = async (element) => {
    const drawing = drawings.get(element);
    const turn = drawing.turn = (drawing.turn ?? 0) + 1;
    const before = drawing.last;
    drawing.last = (async () => {
      await before?.catch(() => {}); // whoever asked for it has been told
      if (turn === drawing.turn || !drawing.result) await embedNow(element, drawing);
    })();
    await drawing.last;
    return drawing.result.view;
  };

  let waiting = null;
  const widths = new ResizeObserver((entries) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const {target} of entries) {
        const drawing = drawings.get(target);
        const room = target.clientWidth; // 0: it is hidden
        if (drawing && room && Math.abs(room - drawing.room) > 1) redraw(target).catch(console.error);
      }
    }, 150);
  });

  // spec: Vega-Lite; one whose usermeta.labkit.least says how many pixels it needs scrolls where there are fewer.
  // data: {name: rows} takes the place of the datasets of those names. Drawing into an element
  // again replaces what was there. Returns Vega's view; rejects with an Error that says what is wrong.
  const draw = async (element, spec, {data} = {}) => {
    const known = drawings.get(element);
    drawings.set(element, Object.assign(known ?? {}, {spec, data}));
    const view = await redraw(element);
    if (!known) widths.observe(element);
    return view;
  };

  // ---- The figures of the page ----

  const kinds = new Map();
  const drawn = new WeakSet();
  const register = (kind, f) => {
    kinds.set(kind, f);
    document.querySelectorAll(`figure.lp-figure[data-lp="${kind}"]`).forEach(observe);
  };

  const fail = (figure, error) => {
    const view = figure.querySelector(".lp-view");
    const said = document.createElement("p");
    said.className = "lp-error";
    said.textContent = `Figure “${figure.dataset.name}” is not complete: ${error.message ?? error}`;
    view.removeAttribute("role");
    view.removeAttribute("aria-label");
    view.style.minHeight = "";
    view.replaceChildren(said);
    figure.dataset.state = "failed";
  };

  const hydrate = async (figure) => {
    const f = kinds.get(figure.dataset.lp);
    if (!f || drawn.has(figure) || figure.dataset.state === "failed") return;
    drawn.add(figure);
    near.unobserve(figure);
    try {
      await f(figure, JSON.parse(figure.querySelector(".lp-data").textContent));
      figure.dataset.state = "drawn";
    } catch (error) {
      fail(figure, error);
    }
  };

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) hydrate(entry.target);
  }, {rootMargin: NEAR});
  const observe = (figure) => { if (!drawn.has(figure)) near.observe(figure); };

  // The others follow once the reader does something, and while the browser has nothing to do.
  const idle = window.requestIdleCallback ?? ((f) => setTimeout(f, 200));
  const rest = async () => {
    const figures = [...document.querySelectorAll("figure.lp-figure")];
    const next = figures.find(({dataset}, i) => kinds.has(dataset.lp) && !dataset.state && !drawn.has(figures[i]));
    if (!next) return;
    await hydrate(next);
    idle(rest);
  };

  window.LostPackets = {draw, register};
  register("vegalite", (figure, spec) => draw(figure.querySelector(".lp-view"), spec));
  const begun = new AbortController();
  for (const sign of ["scroll", "pointerdown", "keydown"]) {
    window.addEventListener(sign, () => { begun.abort(); idle(rest); }, {passive: true, signal: begun.signal});
  }

  // On paper what is not drawn yet is the picture that browsers without scripts have.
  window.addEventListener("beforeprint", () => {
    for (const figure of document.querySelectorAll("figure.lp-figure:not([data-state])")) {
      const still = figure.querySelector(".lp-view > noscript");
      if (still) still.outerHTML = still.textContent;
    }
  });
})();
