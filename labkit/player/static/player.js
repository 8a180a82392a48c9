// The packet player: time, buttons, keys and words around the stage (stage.js) and the plots (plots.js).
// LabkitPlayer.mount(element, film) puts it into an element; returns what tests look at.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const {element, looks, legend, speeds, speedText} = P;
  const BEAT_MS = 500;     // a step of those who want no motion
  const WORDS_MS = 120;    // how often numbers beside a moving picture are written anew

  // ---- The player ----

  const HELP = [["Space", "play, pause"], ["← →", "to the event before, the next one"],
    ["Shift ← →", "to the loss before, the next one"], ["Enter", "choose the packet of the event"], ["N, P", "choose the next or the previous packet on the way"],
    ["Home, End", "to the beginning, the end"], ["Esc", "choose none"]];

  const mount = (root, film) => {
    const model = P.read(film);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)");
    const id = `lpp-${Math.random().toString(36).slice(2, 8)}`;
    let [t, playing, speed, chosen, event] = [model.begin, false, film.speed, null, null];
    let [last, worded, look, waited] = [0, 0, null, 0];

    root.classList.add("lpp");
    const button = (text, label, f) => {
      const made = element("button", {type: "button", className: "lpp-button", textContent: text, title: label});
      made.setAttribute("aria-label", label);
      made.addEventListener("click", f);
      return made;
    };

    const play = button("▶", "Play", () => toggle());
    play.classList.add("lpp-play");
    const back = button("◀|", "Step back", () => step(-1));
    const next = button("|▶", "Step", () => step(1));
    const loss = button("Next loss", "Jump to the next loss", () => jump(1));
    loss.disabled = !model.losses.length;
    const pace = element("select", {className: "lpp-speed", id: `${id}-speed`, title: "Speed"},
      ...speeds(film.speed).map((one) => new Option(speedText(one), one, false, Math.abs(one / film.speed - 1) < 0.01)));
    pace.setAttribute("aria-label", "Speed");
    const clock = element("output", {className: "lpp-clock"});
    const bar = element("div", {className: "lpp-bar", role: "group"}, play, back, next, loss, pace, clock);
    bar.setAttribute("aria-label", "Player");

    const canvas = element("canvas", {className: "lpp-stage", tabIndex: 0});
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "packet player");
    canvas.setAttribute("aria-label", film.description);
    canvas.setAttribute("aria-describedby", `${id}-keys`);
    const scrub = element("input", {className: "lpp-scrub", type: "range", min: model.begin, max: model.end, step: 1});
    scrub.setAttribute("aria-label", "Time");
    const says = element("p", {className: "lpp-says"});
    const more = element("button", {type: "button", className: "lpp-more", hidden: true,
      textContent: "The chosen packet: headers and life"});
    more.addEventListener("click", () => {
      panel.scrollIntoView({block: "nearest", behavior: still.matches ? "auto" : "smooth"});
      panel.focus({preventScroll: true});
    });
    const spoken = element("p", {className: "lpp-spoken"});
    spoken.setAttribute("aria-live", "polite");

    const stage = P.stage(canvas, model);
    const window_ = model.senders.length ? element("canvas", {className: "lpp-strip", "aria-hidden": "true"}) : null;
    const strip = window_ && P.stripView(window_, model);
    const sender = element("select", {className: "lpp-speed"}, ...model.senders.map((one, n) => new Option(one.name, n)));
    sender.setAttribute("aria-label", "Whose window is shown");
    sender.hidden = model.senders.length < 2;
    const firstLoser = model.senders.findIndex(({flow}) => model.losses.some((one) => one.packet.flow === flow));
    sender.value = Math.max(0, firstLoser);
    const numbers = element("p", {className: "lpp-numbers"});
    const head = element("div", {className: "lpp-head"}, sender, numbers);
    const graph = element("canvas", {"aria-hidden": "true"});
    const plots = P.plots(element("canvas", {"aria-hidden": "true"}), graph, model);
    const charts = element("div", {className: "lpp-plots", hidden: plots.empty}, plots.still, graph);
    const panel = element("section", {className: "lpp-panel", hidden: true, tabIndex: -1});
    panel.setAttribute("aria-label", "Chosen packet");
    const lines = HELP.flatMap(([key, does]) => [element("dt", {textContent: key}), element("dd", {textContent: does})]);
    const keys = element("details", {className: "lpp-keys"}, element("summary", {textContent: "Keys"}), element("dl", {}, ...lines));
    const hint = element("p", {className: "lpp-spoken", id: `${id}-keys`,
      textContent: HELP.map(([key, does]) => `${key}: ${does}`).join("; ")});
    let key = element("ul");
    root.replaceChildren(bar, canvas, says, more, scrub, ...(window_ ? [head, window_] : []), charts, key, panel, keys,
      hint, spoken);

    // ---- Drawing ----

    const numbersText = (now, one) => {
      const {counts, outstanding} = now;
      const parts = [`outstanding ${outstanding}`, `SACKed ${counts.sacked}`, `lost ${counts.lost}`, `state ${now.state}`];
      return `Window of ${one.name}: ${parts.join(", ")}`;
    };

    const write = () => {
      clock.textContent = P.story.seconds(t);
      scrub.value = t;
      const past = model.losses.filter((one) => one.at <= t);
      const latest = past[past.length - 1];
      const text = event && Math.abs(event.at - t) < 0.5 ? P.story.event(model, event)
        : latest ? `Last loss: ${P.story.event(model, {at: latest.at, packet: latest.packet, what: "lost", loss: latest})}`
          : model.losses.length ? "No loss yet" : "No packet is lost here";
      if (says.textContent !== text) says.textContent = text;
    };

    const draw = (words = true) => {
      if (!look) return;
      stage.draw(t, {look, speed, still: still.matches, chosen});
      plots.draw(t, look);
      if (strip) {
        const one = model.senders[sender.value];
        const now = strip.draw(one, t, look);
        if (words) numbers.textContent = numbersText(now, one);
      }
      if (words) write();
    };

    const restyle = () => {
      look = looks(root, film);
      const fresh = legend(look, model);
      key.replaceWith(fresh);
      key = fresh;
      resize();
    };

    const resize = () => {
      const width = Math.floor(root.clientWidth);
      if (!width || !look) return;
      stage.resize(width, look);
      strip?.resize(width);
      if (!plots.empty) plots.resize(width, look);
      draw();
    };

    // ---- Time ----

    const frame = (now) => {
      if (!playing) return;
      const passed = Math.min(100, now - (last || now));
      last = now;
      if (still.matches) {
        waited += passed;
        if (waited < BEAT_MS) {
          requestAnimationFrame(frame);
          return;
        }
        t += waited * 1e3 * speed;
        waited = 0;
      } else t += passed * 1e3 * speed;
      event = null;
      if (t >= model.end) {
        t = model.end;
        pause();
      }
      const words = now - worded > WORDS_MS || !playing;
      if (words) worded = now;
      draw(words);
      if (playing) requestAnimationFrame(frame);
    };

    const named = () => {
      play.textContent = playing ? "❚❚" : "▶";
      play.title = playing ? "Pause" : "Play";
      play.setAttribute("aria-label", play.title);
    };

    const pause = () => {
      playing = false;
      named();
      settle();
    };

    const toggle = () => {
      if (playing) return pause();
      if (t >= model.end) t = model.begin;
      playing = true;
      last = waited = 0;
      named();
      requestAnimationFrame(frame);
      return undefined;
    };

    const settle = () => scrub.setAttribute("aria-valuetext", P.story.seconds(t));

    const seek = (at, what = null, aloud = false) => {
      playing = false;
      named();
      t = Math.min(model.end, Math.max(model.begin, at));
      event = what;
      settle();
      draw();
      if (aloud && what) spoken.textContent = P.story.event(model, what);
    };

    // By event, not by time: several at one instant are stepped through one by one.
    const place = () => {
      if (event) return model.events.indexOf(event);
      let found = -1;
      while (found + 1 < model.events.length && model.events[found + 1].at <= t) found += 1;
      return found;
    };

    const step = (by) => {
      const at = event ? place() + by : by > 0 ? place() + 1 : place();
      const to = model.events[at];
      if (to) {
        seek(to.at, to, true);
        if (chosen) choose(to.packet);
      } else seek(by > 0 ? model.end : model.begin);
    };

    const jump = (by) => {
      const lost = model.events.filter((one) => one.what === "lost");
      const from = event?.what === "lost" ? lost.indexOf(event) + by
        : by > 0 ? lost.findIndex((one) => one.at > t) : lost.findLastIndex((one) => one.at < t);
      const to = lost[from];
      if (to) {
        seek(to.at, to, true);
        choose(to.packet);
      } else spoken.textContent = by > 0 ? "No loss after this" : "No loss before this";
    };

    // ---- A packet ----

    const choose = (packet) => {
      chosen = packet;
      panel.hidden = more.hidden = !packet;
      if (packet) {
        const close = button("×", "Choose no packet", () => choose(null));
        close.classList.add("lpp-close");
        const rows = P.story.headers(model, packet).flatMap(([name, value]) =>
          [element("dt", {textContent: name}), element("dd", {textContent: value})]);
        const life = P.story.life(model, packet).map(([at, text, lost]) => {
          const go = button(P.story.seconds(at), `Go to ${P.story.seconds(at)}`, () => seek(at));
          go.classList.add("lpp-time");
          go.disabled = at < model.begin || at > model.end;
          return element("li", {className: lost ? "lpp-lost" : ""}, go, element("span", {textContent: text}));
        });
        panel.replaceChildren(close, element("p", {className: "lpp-title", textContent: P.story.title(packet)}),
          element("div", {className: "lpp-facts"}, element("dl", {}, ...rows), element("ol", {}, ...life)));
      }
      draw();
    };

    const around = (by) => {
      const there = [...new Set([...stage.shown()].sort((a, b) => a.x - b.x || a.y - b.y).map((item) => item.packet))];
      if (!there.length) return;
      const at = there.indexOf(chosen);
      choose(there[at < 0 ? (by > 0 ? 0 : there.length - 1) : (at + by + there.length) % there.length]);
      spoken.textContent = P.story.title(chosen);
    };

    const KEYS = {
      " ": () => toggle(), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
      "Shift+ArrowRight": () => jump(1), "Shift+ArrowLeft": () => jump(-1),
      Home: () => seek(model.begin), End: () => seek(model.end),
      Enter: () => choose(event?.packet ?? model.events[Math.max(0, place())]?.packet ?? null), Escape: () => choose(null),
      n: () => around(1), p: () => around(-1), N: () => around(1), P: () => around(-1),
    };
    canvas.addEventListener("keydown", (press) => {
      const does = KEYS[(press.shiftKey && press.key.startsWith("Arrow") ? "Shift+" : "") + press.key];
      if (!does || press.ctrlKey || press.metaKey || press.altKey) return;
      press.preventDefault();
      press.stopPropagation(); // a notebook has keys of its own
      does();
    });
    canvas.addEventListener("click", (click) => {
      const box = canvas.getBoundingClientRect();
      choose(stage.hit(click.clientX - box.left, click.clientY - box.top));
    });
    scrub.addEventListener("input", () => seek(Number(scrub.value)));
    pace.addEventListener("change", () => { speed = Number(pace.value); draw(); });
    sender.addEventListener("change", () => draw());
    const point = (move) => seek(plots.timeAt(move.clientX - graph.getBoundingClientRect().left));
    graph.addEventListener("pointerdown", (down) => {
      graph.setPointerCapture(down.pointerId);
      point(down);
    });
    graph.addEventListener("pointermove", (move) => { if (graph.hasPointerCapture(move.pointerId)) point(move); });

    // ---- The page around it ----

    new ResizeObserver(resize).observe(root);
    const themes = ["data-theme", "class", "data-jp-theme-light", "data-jp-theme-name"];
    for (const one of [document.documentElement, document.body]) {
      new MutationObserver(restyle).observe(one, {attributes: true, attributeFilter: themes});
    }
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
    new IntersectionObserver(([seen]) => { if (!seen.isIntersecting && playing) pause(); }).observe(root);
    named();
    restyle();
    settle();
    return {model, stage, seek, toggle, choose, state: () => ({t, playing, speed, chosen: chosen?.n ?? null, event}),
      setSpeed: (value) => { speed = value; }};
  };

  window.LabkitPlayer = Object.assign(P, {mount});
  window.LostPackets?.register("player", (figure, film) => {
    const view = figure.querySelector(".lp-view");
    view.removeAttribute("role"); // the canvas in it has one
    view.removeAttribute("aria-label");
    view.style.minHeight = "";
    figure.player = mount(view, film);
  });
})();
