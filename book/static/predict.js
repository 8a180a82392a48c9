// "Predict, then run" on the site: the recorded answer stays hidden until the reader has committed to one.
// The payload is described in labkit/widgets/question.py; LostPackets (lostpackets.js) draws the charts.
// A page that carries the laboratory measures it again: web/widgets/prediction_live.mjs, by what `offer` is given.

(() => {
  "use strict";

  const FORMAT = 1;
  const YOU = "you", MEASURED = "measured"; // as labkit/widgets/answers.py
  const DATA = "answers", SPREAD = "spread"; // as labkit/widgets/spread.py
  const NEAR = ["right", "exactly", "a little"];

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // ---- Words, as labkit/widgets/answers.py has them; the table of ratios comes with the payload ----

  const number = (value) => value === 0 ? "0" : Math.abs(value) >= 99.95
    ? Math.round(value).toLocaleString("en")
    : Number(value.toPrecision(3)).toLocaleString("en", {maximumFractionDigits: 9});
  const quantity = (value, unit) => `${number(value)} ${unit}`.trim();

  const difference = (payload, said, measured) => {
    if (said === measured) return "exactly right";
    if (said * measured <= 0) {
      return `${quantity(Math.abs(measured - said), payload.unit)} ${measured > said ? "more" : "less"}`;
    }
    const ratio = measured / said;
    return payload.ratios.find(([bound]) => bound === null || ratio < bound)[1];
  };

  const ofValue = (payload, said, measured) => `You said ${quantity(said, payload.unit)}; measured ` +
    `${quantity(measured, payload.unit)}: ${difference(payload, said, measured)}.`;

  const ofCurve = (payload, said) => {
    const {measured, x} = payload;
    const isNear = (y, i) => NEAR.some((word) => difference(payload, y, measured[i]).startsWith(word));
    const gaps = said.map((y, i) => Math.abs(y - measured[i]));
    const off = gaps.indexOf(Math.max(...gaps));
    const farthest = ofValue(payload, said[off], measured[off]).replace(/^You /, "you ");
    return `Near at ${said.filter(isNear).length} of ${x.length} points. ` +
      `Farthest off where ${payload.x_title || "x"} is ${x[off]}: ${farthest}`;
  };

  const ofChoice = (payload, said) => {
    const [[yours], [right]] = [payload.choices[said], payload.choices[payload.measured]];
    return said === payload.measured ? `You said ${yours}, and so it is.` : `You said ${yours}; measured: ${right}.`;
  };

  const measuredText = (payload, measured) => payload.kind === "choice"
    ? payload.choices[measured][0]
    : [measured].flat().map((one, i) => (payload.kind === "curve" ? `${payload.x[i]}: ` : "") +
      quantity(one, payload.unit)).join("; ");

  const WORDS = {value: (payload, said) => ofValue(payload, said, payload.measured), curve: ofCurve, choice: ofChoice};

  // ---- Inputs: each has `inputs`, `box`, said() (null: nothing yet), problem() ----

  const numberInput = (payload, id, label) => {
    const input = element("input", {id, type: "number", step: "any", required: true, inputMode: "decimal"});
    if (payload.low !== null) input.min = payload.low;
    if (payload.high !== null) input.max = payload.high;
    return {input, box: element("label", {htmlFor: id}, label, input)};
  };

  const problemOf = (payload, inputs) => {
    const bad = inputs.find((input) => !input.checkValidity());
    if (!bad) return null;
    bad.focus();
    const between = payload.low === null ? "" : ` between ${number(payload.low)} and ${number(payload.high)}`;
    return `Say a number${between} first.`;
  };

  const value = (payload, id) => {
    const {input, box} = numberInput(payload, `${id}-said`, "Your prediction ");
    box.append(payload.unit);
    return {
      inputs: [input],
      box: element("div", {className: "lp-answers"}, box),
      said: () => input.value === "" ? null : Number(input.value),
      problem: () => problemOf(payload, [input]),
    };
  };

  const choice = (payload, id) => {
    const inputs = payload.choices.map((_, i) => element("input", {type: "radio", name: id, id: `${id}-${i}`, value: i}));
    const labels = payload.choices.map(([text], i) => element("label", {htmlFor: inputs[i].id}, inputs[i], text));
    const said = () => {
      const at = inputs.findIndex((input) => input.checked);
      return at < 0 ? null : at;
    };
    return {
      inputs,
      box: element("div", {className: "lp-answers lp-stacked"}, ...labels),
      said,
      problem: () => said() === null ? "Choose an answer first." : null,
    };
  };

  const curve = (payload, id) => {
    const parts = payload.x.map((x, i) => numberInput(payload, `${id}-at-${i}`, `${payload.x_title} ${x}`.trim()));
    parts.forEach(({box}) => box.classList.add("lp-x"));
    const inputs = parts.map(({input}) => input);
    return {
      inputs,
      box: element("div", {className: "lp-answers"}, ...parts.map(({box}) => box)),
      said: () => inputs.map((input) => input.value === "" ? null : Number(input.value)),
      problem: () => problemOf(payload, inputs),
    };
  };

  const KINDS = {value, choice, curve};

  // ---- A curve's points, set by pointing at the plot ----

  const drawable = (view, payload, answer, isOpen) => {
    const set = (event, plot) => {
      const svg = view.querySelector("svg");
      const box = svg?.getBoundingClientRect();
      if (!box || !isOpen()) return;
      const [left, top] = plot.origin();
      const [across, up] = [event.clientX - box.left - left, event.clientY - box.top - top];
      const places = payload.x_values.map((x) => plot.scale("x")(x) + (plot.scale("x").bandwidth?.() ?? 0) / 2);
      const gaps = places.map((place) => Math.abs(place - across));
      const y = Math.min(Math.max(plot.scale("y").invert(up), payload.low), payload.high);
      const input = answer.inputs[gaps.indexOf(Math.min(...gaps))];
      input.value = Number(y.toPrecision(3));
      input.dispatchEvent(new Event("input"));
    };
    let plot = null, down = false;
    view.addEventListener("pointerdown", (event) => {
      if (!plot || event.button || !event.target.closest("svg")) return;
      down = true;
      view.setPointerCapture(event.pointerId);
      event.preventDefault();
      set(event, plot);
    });
    view.addEventListener("pointermove", (event) => { if (down) set(event, plot); });
    for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, () => { down = false; });
    return (drawn) => { plot = drawn; };
  };

  // ---- The figure ----

  const rowsOf = (payload, who, answer) => payload.kind === "value"
    ? [{who, value: answer}]
    : answer.flatMap((y, i) => y === null ? [] : [{who, x: payload.x_values[i], value: y}]);

  const check = (payload) => {
    if (payload.format !== FORMAT) {
      throw new Error(`it was recorded by another labkit (format ${payload.format}, this page reads ${FORMAT}). ` +
        "Record the chapter again.");
    }
    if (!(payload.kind in KINDS)) throw new Error(`this page knows no question of kind “${payload.kind}”.`);
  };

  const form = (figure, payload, answer) => {
    const commit = element("button", {type: "submit", className: "lp-button lp-first", textContent: "Commit"});
    const again = element("button", {type: "button", className: "lp-button", textContent: "Try again", hidden: true});
    const asked = element("legend", {textContent: payload.question});
    const field = element("fieldset", {}, asked, answer.box);
    const made = element("form", {className: "lp-predict", noValidate: true}, field, commit, " ", again);
    return {made, commit, again};
  };

  const prediction = async (figure, payload) => {
    check(payload);
    const view = figure.querySelector(".lp-view");
    const answer = KINDS[payload.kind](payload, figure.id);
    const {made, commit, again} = form(figure, payload, answer);
    const verdict = element("p", {className: "lp-verdict"});
    const more = element("p");
    const spoken = element("div", {}, verdict, more);
    spoken.setAttribute("aria-live", "polite");
    const result = element("div", {className: "lp-view"});
    const table = figure.querySelector(".lp-table");
    figure.querySelector("figcaption")?.remove(); // the question: it stands above the answers now
    const place = element("div", {className: "lp-here"});
    view.before(made, spoken, place);
    view.after(result);
    let committed = false;
    let found = payload; // the recorded answer, or one that was measured here: measured, result
    let heard = () => {};

    const drawn = payload.kind === "curve" ? drawable(view, payload, answer, () => !committed) : () => {};
    const draw = async () => {
      const shown = payload.answers && (committed || payload.kind === "curve");
      view.hidden = !shown;
      view.classList.toggle("lp-drawable", payload.kind === "curve" && !committed);
      if (!shown) return;
      const rows = rowsOf(payload, YOU, answer.said());
      if (committed) rows.push(...rowsOf(payload, MEASURED, found.measured));
      view.setAttribute("aria-label", committed ? verdict.textContent : "Your curve so far; the fields above set it, too.");
      const spread = committed && payload.spread ? payload.spread.rows : [];
      drawn(await LostPackets.draw(view, payload.answers, {data: {[DATA]: rows, [SPREAD]: spread}}));
    };

    const drawResult = async () => {
      result.hidden = !(committed && found.result);
      if (result.hidden) return;
      result.setAttribute("role", "img");
      result.setAttribute("aria-label", found.result.description ?? "The measured result");
      await LostPackets.draw(result, found.result);
    };

    const settle = async (isDone) => {
      committed = isDone;
      for (const input of [...answer.inputs, commit]) input.disabled = isDone;
      commit.hidden = isDone;
      again.hidden = !isDone;
      if (table) table.hidden = !isDone;
      verdict.textContent = isDone ? WORDS[payload.kind]({...payload, ...found}, answer.said()) : "";
      const own = isDone && payload.kind === "choice" ? payload.choices[answer.said()][1] : "";
      more.textContent = isDone ? [own, payload.after, payload.spread?.words].filter(Boolean).join(" ") : "";
      await draw();
      await drawResult();
    };

    const told = (promise) => promise.catch((error) => {
      more.textContent = `The chart cannot be drawn: ${error.message ?? error}`;
    });
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      const problem = answer.problem();
      if (problem) verdict.textContent = problem;
      else told(settle(true)).then(() => again.focus()).then(() => heard(true));
    });
    again.addEventListener("click", () => {
      found = payload;
      heard(false);
      told(settle(false)).then(() => answer.inputs[0].focus());
    });
    for (const input of answer.inputs) input.addEventListener("input", () => told(draw()));
    await settle(false);

    // onSettled(f): f is told when the reader has committed (true) or takes the answer back (false); measured(found):
    // {measured, result} take the place of the recorded ones; words(measured): what is measured, as a text.
    LostPackets.offer?.("predict", figure, {
      payload, place,
      isCommitted: () => committed,
      onSettled: (f) => { heard = f; },
      measured: (other) => {
        found = other;
        return committed ? told(settle(true)) : Promise.resolve();
      },
      words: (measured) => measuredText(payload, measured),
    });
  };

  LostPackets.register("predict", prediction);
})();
