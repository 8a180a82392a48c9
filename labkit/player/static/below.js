// Below the network: whose window the strip shows, with its numbers, and the plots at which one can point.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const {element, labelled} = P;

  // The strip of a sender's window: the one who lost first, until another one is chosen. No parts without a sender.
  const windowView = (model, redraw) => {
    if (!model.senders.length) return {parts: [], resize: () => {}, draw: () => {}};
    const canvas = element("canvas", {className: "lpp-strip", "aria-hidden": "true"});
    const strip = P.stripView(canvas, model);
    const whose = labelled(element("select", {className: "lpp-speed"},
      ...model.senders.map((one, n) => new Option(one.name, n))), "Whose window is shown");
    whose.hidden = model.senders.length < 2;
    whose.value = Math.max(0, model.senders.findIndex(({flow}) => model.losses.some((one) => one.packet.flow === flow)));
    whose.addEventListener("change", redraw);
    const numbers = element("p", {className: "lpp-numbers"});

    const say = (sender, {counts, outstanding, state}) =>
      `Window of ${sender.name}: outstanding ${outstanding}, SACKed ${counts.sacked}, lost ${counts.lost}, state ${state}`;
    const most = {counts: {sacked: 9999, lost: 9999}, outstanding: 9999, state: "Recovery"};

    const draw = (t, look, words) => {
      const sender = model.senders[whose.value];
      const now = strip.draw(sender, t, look);
      if (words) numbers.textContent = say(sender, now);
    };

    const resize = (width, look) => {
      P.keepHigh(numbers, model.senders.map((sender) => say(sender, most)));
      strip.resize(width, look);
    };
    return {parts: [element("div", {className: "lpp-head"}, whose, numbers), canvas], resize, draw};
  };

  // cwnd and queues over time; to point at an instant there is to seek it.
  const plotView = (model, seek) => {
    const over = element("canvas", {"aria-hidden": "true"});
    const plots = P.plots(element("canvas", {"aria-hidden": "true"}), over, model);
    const box = element("div", {className: "lpp-plots", hidden: plots.empty}, plots.still, over);
    const point = (move) => seek(plots.timeAt(move.clientX - over.getBoundingClientRect().left));
    over.addEventListener("pointerdown", (down) => {
      over.setPointerCapture(down.pointerId);
      point(down);
    });
    over.addEventListener("pointermove", (move) => { if (over.hasPointerCapture(move.pointerId)) point(move); });
    const resize = (width, look) => { if (!plots.empty) plots.resize(width, look); };
    return {box, resize, draw: plots.draw};
  };

  window.LabkitPlayer = Object.assign(P, {windowView, plotView});
})();
