// An explorer on the site: knobs over results that were recorded on a grid. No kernel, no network.
// The payload is described in labkit/widgets/payload.py; LostPackets (lostpackets.js) draws the chart.
// A page that carries the laboratory adds points to it: web/widgets/explorer_live.mjs, by what `offer` is given.

(() => {
  "use strict";

  const FORMAT = 1;
  const QUIET_MS = 400; // a screen reader hears of a point when the knobs have rested so long
  const LOOKS = [["currentColor", ""], ["#767676", "6 3"], ["#949494", "2 3"]]; // as labkit/widgets/overlay.py

  // ---- The recorded data ----

  const columnOf = (held, count) => {
    if (Array.isArray(held)) return held;
    if ("is" in held) return Array(count).fill(held.is);
    if ("of" in held) return held.at.split(" ").map((i) => held.of[i]);
    return held.n.split(" ").map((text) => text === "-" ? null : Number(text));
  };

  // Columns to rows: see `columns` in payload.py.
  const rowsOf = (packed) => {
    const {"": count, ...rest} = packed;
    const columns = Object.entries(rest).map(([name, held]) => [name, columnOf(held, count)]);
    return Array.from({length: count}, (_, i) => Object.fromEntries(columns.map(([name, values]) => [name, values[i]])));
  };

  // What differs from the chart of the default point: [path, value] is set, [path] is deleted.
  const patch = (spec, changes) => {
    for (const [path, ...value] of changes) {
      const last = path.at(-1);
      const part = path.slice(0, -1).reduce((inner, step) => inner[step], spec);
      if (value.length) part[last] = value[0];
      else delete part[last];
    }
  };

  // Calls f with each view of a chart, the outermost first.
  const eachView = (spec, f) => {
    f(spec);
    for (const key of ["layer", "vconcat", "hconcat", "concat"]) spec[key]?.forEach((part) => eachView(part, f));
  };

  // Places for earlier runs that there are none of (yet): their data ends in "@1", "@2".
  const dropPlaces = (spec, from) => {
    const isFree = (view) => Number(view.data?.name?.split("@")[1] ?? 0) >= from ||
      (view.layer?.length > 0 && view.layer.every(isFree));
    eachView(spec, (view) => { if (view.layer) view.layer = view.layer.filter((part) => !isFree(part)); });
  };

  // The chart of some runs, the current one first, and its data.
  const together = (payload, keys) => {
    const spec = structuredClone(payload.spec);
    const data = {};
    keys.forEach((key, place) => {
      const point = payload.points[key];
      patch(spec, structuredClone(point.patch[place]));
      for (const [name, packed] of Object.entries(point.data)) {
        data[place ? `${name}@${place}` : name] = rowsOf(packed);
      }
    });
    dropPlaces(spec, keys.length);
    eachView(spec, (part) => { if (part.data?.name) data[part.data.name] ??= []; });
    return {spec, data};
  };

  // ---- Knobs ----

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  const choice = (knob, id) => {
    const options = knob.texts.map((text, i) => new Option(text, i, i === knob.default, i === knob.default));
    const input = element("select", {id}, ...options);
    return {input, parts: [input], index: () => input.selectedIndex};
  };

  const slider = (knob, id) => {
    const input = element("input", {id, type: "range", min: 0, max: knob.texts.length - 1, step: 1});
    const output = element("output", {htmlFor: id});
    input.value = knob.default;
    const say = () => {
      output.textContent = knob.texts[input.value];
      input.setAttribute("aria-valuetext", knob.texts[input.value]);
    };
    input.addEventListener("input", say);
    say();
    return {input, parts: [input, output], index: () => Number(input.value)};
  };

  const toggle = (knob, id) => {
    const input = element("input", {id, type: "checkbox", checked: knob.default === 1});
    input.setAttribute("role", "switch");
    return {input, parts: [input], index: () => Number(input.checked)};
  };

  const KINDS = {choice, slider, toggle};

  const turnable = (knob, id) => {
    const made = KINDS[knob.kind](knob, id);
    const label = element("label", {htmlFor: id, textContent: knob.label});
    made.box = element("div", {className: `lp-knob lp-${knob.kind}`}, label, ...made.parts);
    return made;
  };

  // ---- Words ----

  // A run of this page has its own words (`turned`): its knobs stand between the recorded points.
  const pointText = (payload, key) => {
    if (payload.points[key]?.turned) return payload.points[key].turned;
    const indices = key.split(",");
    return payload.knobs.map((knob, i) => `${knob.label} ${knob.texts[indices[i]]}`).join(", ");
  };

  const summaryText = (point) => point.summary.map(([title, text]) => `${title}: ${text}`).join("; ");

  const swatch = (place) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const [stroke, dash] = LOOKS[place];
    Object.entries({width: 28, height: 10, "aria-hidden": "true"}).forEach(([k, v]) => svg.setAttribute(k, v));
    Object.entries({x2: 28, y1: 5, y2: 5, stroke, "stroke-width": 2, "stroke-dasharray": dash})
      .forEach(([k, v]) => line.setAttribute(k, v));
    svg.append(line);
    return svg;
  };

  const runsList = (payload, keys) => keys.map((key, place) => {
    const which = element("span", {textContent: place ? "Before: " : "This run: "});
    const said = `${pointText(payload, key)}. ${summaryText(payload.points[key])}`;
    const {where} = payload.points[key];
    const note = where ? element("small", {textContent: ` (${where})`}) : "";
    return element("li", {}, place ? swatch(place) : "", which, said, note);
  });

  // ---- The figure ----

  const check = (payload) => {
    if (payload.format !== FORMAT) {
      throw new Error(`it was recorded by another labkit (format ${payload.format}, this page reads ${FORMAT}). ` +
        "Record the chapter again.");
    }
    const unknown = payload.knobs.find((knob) => !(knob.kind in KINDS));
    if (unknown) throw new Error(`this page knows no knob of kind “${unknown.kind}”. Record the chapter again.`);
  };

  const explorer = async (figure, payload) => {
    check(payload);
    const view = figure.querySelector(".lp-view");
    const knobs = payload.knobs.map((knob, i) => turnable(knob, `${figure.id}-knob-${i}`));
    const forget = element("button", {type: "button", className: "lp-button", textContent: "Forget earlier runs"});
    const group = element("div", {className: "lp-controls"}, ...knobs.map((knob) => knob.box), forget);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Knobs");
    const runs = element("ul", {className: "lp-runs"});
    const said = element("p", {className: "lp-spoken"}); // for screen readers: the runs are listed to be seen
    said.setAttribute("aria-live", "polite");
    const fault = element("p", {className: "lp-error", hidden: true});
    view.before(group);
    view.after(fault, runs, said);

    const at = () => knobs.map((knob) => knob.index()).join(",");
    let shown = at();   // the run in the picture
    let rested = shown; // where the knobs stood when they were let go last
    let before = [];    // and before that, the latest first
    let speaking = null;

    const speak = (text) => {
      clearTimeout(speaking);
      speaking = setTimeout(() => { said.textContent = text; }, QUIET_MS);
    };

    const broken = (text) => {
      fault.textContent = text;
      fault.hidden = false;
      view.hidden = true;
      runs.replaceChildren();
    };

    const show = async (key, spoken) => {
      const point = payload.points[key];
      shown = key;
      forget.disabled = ![rested, ...before].some((other) => other !== key);
      if (!point || point.empty) {
        broken(point?.empty ?? `No run was recorded with ${pointText(payload, key)}.`);
        if (spoken) speak(fault.textContent);
        return;
      }
      const drawable = (other) => payload.points[other] && !payload.points[other].empty;
      const keys = [...new Set([key, rested, ...before])].filter(drawable).slice(0, payload.runs);
      const {spec, data} = together(payload, keys);
      fault.hidden = true;
      view.hidden = false;
      view.setAttribute("aria-label", point.description || pointText(payload, key));
      runs.replaceChildren(...runsList(payload, keys));
      if (spoken) speak(`${pointText(payload, key)}. ${summaryText(point)}. ${point.description}`);
      await LostPackets.draw(view, spec, {data});
    };

    const turned = (key) => show(key, true)
      .catch((error) => broken(`This run cannot be drawn: ${error.message ?? error}`));
    const letGo = (key) => {
      if (key !== rested) before = [rested, ...before].filter((other) => other !== key).slice(0, payload.runs - 1);
      rested = key;
      return turned(key);
    };
    for (const {input} of knobs) {
      if (input.type === "range") input.addEventListener("input", () => turned(at()));
      input.addEventListener("change", () => letGo(at()));
    }
    forget.addEventListener("click", () => {
      rested = shown;
      before = [];
      turned(shown);
    });
    forget.hidden = payload.runs < 2;
    await show(shown, false);

    // What is added to `payload.points` can be shown by its key, too; kept(): the keys that may be asked for again.
    const [place, below] = [element("div", {className: "lp-here"}), element("div", {className: "lp-here"})];
    group.after(place);
    runs.after(below);
    LostPackets.offer?.("explore", figure, {
      payload, place, below, knobs: knobs.map((knob) => knob.box), at, turned, letGo,
      kept: () => [shown, rested, ...before],
    });
  };

  LostPackets.register("explorer", explorer);
})();
