// The player's buttons, its slider and the keys it knows, as elements of the page.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const {element, speeds, speedText} = P;
  const HELP = [["Space", "play, pause"], ["← →", "to the event before, the next one"],
    ["Shift ← →", "to the loss before, the next one"], ["Enter", "choose the packet of the event"], ["N, P", "choose the next or the previous packet on the way"],
    ["Home, End", "to the beginning, the end"], ["Esc", "choose none"]];

  const labelled = (made, label) => {
    made.setAttribute("aria-label", label);
    return made;
  };

  const button = (text, label, does, more = "") => {
    const made = element("button", {type: "button", className: `lpp-button ${more}`.trim(), textContent: text, title: label});
    made.addEventListener("click", does);
    return labelled(made, label);
  };

  // Keeps a line of text as high as the highest of what it may say, so that nothing below it moves.
  const keepHigh = (line, texts) => {
    const now = line.textContent;
    line.style.minHeight = "";
    const high = texts.map((text) => {
      line.textContent = text;
      return line.getBoundingClientRect().height;
    });
    line.textContent = now;
    line.style.minHeight = `${Math.max(...high)}px`;
  };

  // The row of buttons. does: {toggle(), step(by), jump(by), speed(value)}. show(now) writes the time, and what Play does.
  const bar = (model, id, does) => {
    const play = button("▶", "Play", () => does.toggle(), "lpp-play");
    const loss = button("Next loss", "Jump to the next loss", () => does.jump(1));
    loss.disabled = !model.losses.length;
    const own = model.film.speed;
    const pace = labelled(element("select", {className: "lpp-speed", id: `${id}-speed`, title: "Speed"},
      ...speeds(own).map((one) => new Option(speedText(one), one, false, Math.abs(one / own - 1) < 0.01))), "Speed");
    pace.addEventListener("change", () => does.speed(Number(pace.value)));
    const clock = element("output", {className: "lpp-clock"});
    clock.style.minWidth = `${P.story.seconds(model.end).length}ch`; // else the row may wrap as it grows
    const row = element("div", {className: "lpp-bar", role: "group"}, play, button("◀|", "Step back", () => does.step(-1)),
      button("|▶", "Step", () => does.step(1)), loss, pace, clock);

    const show = ({t, playing}) => {
      clock.textContent = P.story.seconds(t);
      const name = playing ? "Pause" : "Play";
      if (play.title === name) return;
      play.textContent = playing ? "❚❚" : "▶";
      play.title = name;
      labelled(play, name);
    };
    return {row: labelled(row, "Player"), show};
  };

  // The slider. While it plays, screen readers are not told each of its steps.
  const slider = (model, seek) => {
    const {begin: min, end: max} = model;
    const scrub = labelled(element("input", {className: "lpp-scrub", type: "range", min, max, step: 1}), "Time");
    scrub.addEventListener("input", () => seek(Number(scrub.value)));
    const show = ({t, playing}) => {
      scrub.value = t;
      if (!playing) scrub.setAttribute("aria-valuetext", P.story.seconds(t));
    };
    return {scrub, show};
  };

  const stageCanvas = (film, id) => {
    const canvas = element("canvas", {className: "lpp-stage", tabIndex: 0, role: "application"});
    canvas.setAttribute("aria-roledescription", "packet player");
    canvas.setAttribute("aria-describedby", `${id}-keys`);
    return labelled(canvas, film.description);
  };

  // The keys, to be unfolded, and the same for who hears what the stage is described by.
  const help = (id) => {
    const lines = HELP.flatMap(([key, does]) => [element("dt", {textContent: key}), element("dd", {textContent: does})]);
    const keys = element("details", {className: "lpp-keys"}, element("summary", {textContent: "Keys"}), element("dl", {}, ...lines));
    const hint = element("p", {className: "lpp-spoken", id: `${id}-keys`,
      textContent: HELP.map(([key, does]) => `${key}: ${does}`).join("; ")});
    return [keys, hint];
  };

  // does: what each key calls, by its name, with "Shift+" in front of an arrow's.
  const onKeys = (canvas, does) => canvas.addEventListener("keydown", (press) => {
    const call = does[(press.shiftKey && press.key.startsWith("Arrow") ? "Shift+" : "") + press.key];
    if (!call || press.ctrlKey || press.metaKey || press.altKey) return;
    press.preventDefault();
    press.stopPropagation(); // a notebook has keys of its own
    call();
  });

  window.LabkitPlayer = Object.assign(P, {button, labelled, keepHigh, bar, slider, stageCanvas, help, onKeys});
})();
