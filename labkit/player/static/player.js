// The packet player: puts the stage (stage.js), what is below it (below.js), time (clock.js), buttons and keys
// (player_controls.js) and the chosen packet (panel.js) together.
// LabkitPlayer.mount(element, film) puts it into an element; returns what tests look at.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const {element, looks, legend, story} = P;
  const WORDS_MS = 120;    // how often numbers beside a moving picture are written anew

  // What is said below the stage: the event that it stands at, or the last loss.
  const said = (model, {t, event}) => {
    if (event && Math.abs(event.at - t) < 0.5) return story.event(model, event);
    const past = model.losses.filter((one) => one.at <= t);
    const loss = past[past.length - 1];
    if (loss) return `Last loss: ${story.event(model, {at: loss.at, packet: loss.packet, what: "lost", loss})}`;
    return model.losses.length ? "No loss yet" : "No packet is lost here";
  };

  const LONG = 5; // of so many of the longest texts the height is looked at
  const longest = (model) => model.events.map((one) => `Last loss: ${story.event(model, one)}`)
    .sort((a, b) => b.length - a.length).slice(0, LONG);

  // The parts and what is drawn of them. does: what buttons, slider and plots call. draw(now, chosen, words): words says
  // whether the numbers are written, too; restyle() takes the page's colours, resize(width) its room.
  const view = (root, model, still, does) => {
    const id = `lpp-${Math.random().toString(36).slice(2, 8)}`;
    const bar = P.bar(model, id, does);
    const canvas = P.stageCanvas(model.film, id);
    const stage = P.stage(canvas, model);
    const says = element("p", {className: "lpp-says"});
    const panel = P.panel(model, still, does);
    const slider = P.slider(model, does.seek);
    const window_ = P.windowView(model, does.redraw);
    const plots = P.plotView(model, does.seek);
    const spoken = element("p", {className: "lpp-spoken", "aria-live": "polite"});
    const texts = longest(model);
    let [look, key, room] = [null, element("ul"), 0];
    root.replaceChildren(bar.row, canvas, says, panel.more, slider.scrub, ...window_.parts, plots.box, key, panel.section,
      ...P.help(id), spoken);

    const draw = (now, chosen, words) => {
      if (!room) return;
      stage.draw(now.t, {look, speed: now.speed, still: still.matches, chosen});
      plots.draw(now.t, look);
      window_.draw(now.t, look, words);
      if (!words) return;
      bar.show(now);
      slider.show(now);
      const text = said(model, now);
      if (says.textContent !== text) says.textContent = text;
    };

    const restyle = () => {
      look = looks(root, model.film);
      const fresh = legend(look, model);
      key.replaceWith(fresh);
      key = fresh;
    };

    const resize = (width) => {
      room = width;
      P.keepHigh(says, texts);
      for (const one of [stage, window_, plots]) one.resize(width, look);
    };
    return {canvas, stage, panel, spoken, draw, restyle, resize};
  };

  // Calls restyle when the page's colours change, resize when its room does, hidden when the element is out of sight.
  const watch = (root, {restyle, resize, hidden}) => {
    new ResizeObserver(resize).observe(root);
    const themes = ["data-theme", "class", "data-jp-theme-light", "data-jp-theme-name"];
    for (const one of [document.documentElement, document.body]) {
      new MutationObserver(restyle).observe(one, {attributes: true, attributeFilter: themes});
    }
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
    new IntersectionObserver(([seen]) => { if (!seen.isIntersecting) hidden(); }).observe(root);
  };

  // What is done with packets: chosen, by event or by pointing, and told. face: what view returns.
  const choosing = (model, clock, face, draw) => {
    const self = {chosen: null};
    const choose = (packet) => {
      self.chosen = packet;
      face.panel.show(packet);
      draw();
    };
    const speak = (text) => { face.spoken.textContent = text; };

    const step = (by) => {
      const to = clock.step(by);
      if (to) speak(story.event(model, to));
      if (to && self.chosen) choose(to.packet);
    };

    const jump = (by) => {
      const to = clock.jump(by);
      speak(to ? story.event(model, to) : by > 0 ? "No loss after this" : "No loss before this");
      if (to) choose(to.packet);
    };

    const around = (by) => { // from left to right
      const items = [...face.stage.shown()].sort((a, b) => a.x - b.x || a.y - b.y);
      const there = [...new Set(items.map((item) => item.packet))];
      if (!there.length) return;
      const at = there.indexOf(self.chosen);
      choose(there[at < 0 ? (by > 0 ? 0 : there.length - 1) : (at + by + there.length) % there.length]);
      speak(story.title(self.chosen));
    };
    return Object.assign(self, {choose, step, jump, around});
  };

  const keysOf = (model, clock, packets) => {
    const {choose, step, jump, around} = packets;
    return {
      " ": () => clock.toggle(), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
      "Shift+ArrowRight": () => jump(1), "Shift+ArrowLeft": () => jump(-1),
      Home: () => clock.seek(model.begin), End: () => clock.seek(model.end),
      Enter: () => choose(clock.here()?.packet ?? null), Escape: () => choose(null),
      n: () => around(1), p: () => around(-1), N: () => around(1), P: () => around(-1),
    };
  };

  const mount = (root, film) => {
    const model = P.read(film);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)");
    const face = {}; // what view returns, once there is something for it to call
    let worded = 0;
    root.classList.add("lpp");

    const draw = (ms = null) => { // ms: the time of a frame while it plays
      const words = ms === null || !clock.now.playing || ms - worded > WORDS_MS;
      if (ms !== null && words) worded = ms;
      face.draw(clock.now, packets.chosen, words);
    };
    const clock = P.clock(model, still, draw);
    const {now, seek, toggle} = clock;
    const packets = choosing(model, clock, face, draw);
    const {choose, step, jump} = packets;
    const speed = (value) => {
      now.speed = value;
      draw();
    };
    Object.assign(face, view(root, model, still, {toggle, step, jump, speed, seek, choose, redraw: () => draw()}));

    const resize = () => {
      const width = Math.floor(root.clientWidth);
      if (!width) return;
      face.resize(width);
      draw();
    };
    const restyle = () => {
      face.restyle();
      resize();
    };
    const {canvas, stage} = face;
    P.onKeys(canvas, keysOf(model, clock, packets));
    canvas.addEventListener("click", (click) => {
      const box = canvas.getBoundingClientRect();
      choose(stage.hit(click.clientX - box.left, click.clientY - box.top));
    });
    restyle(); // before the observers: they call resize at once
    watch(root, {restyle, resize, hidden: clock.pause});
    const state = () => ({...now, chosen: packets.chosen?.n ?? null});
    return {model, stage, seek, toggle, choose, state, setSpeed: speed};
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
