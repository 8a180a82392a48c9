// The player's colours, its legend, and the speeds to choose from.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const SPEEDS = 7;        // to choose from, the film's own in the middle

  const element = (tag, properties = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in made && !name.includes("-")) made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };

  // ---- Looks: the page's own colours ----

  const looks = (root, film) => {
    const probe = root.appendChild(element("span", {hidden: true}));
    const of = (name) => { // as a colour that a canvas knows, whatever the style sheet says
      probe.style.color = `var(--lpp-${name})`;
      return getComputedStyle(probe).color;
    };
    const [ink, ground, muted, faint, lost] = ["ink", "ground", "muted", "faint", "lost"].map(of);
    probe.remove();
    const {fontFamily: font} = getComputedStyle(root);
    return {ink, ground, muted, faint, lost, font, flow: (n) => film.flows[n]?.color ?? muted};
  };

  const speedText = (speed) => {
    const units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
    const [unit, size] = units.find(([, least]) => speed >= least * 0.999) ?? units[3];
    return `1 s = ${Number((speed / size).toPrecision(3))} ${unit}`;
  };

  // 1, 2, 5 times powers of ten around the film's own.
  const speeds = (middle) => {
    const all = [];
    for (let power = -9; power <= 1; power += 1) for (const step of [1, 2, 5]) all.push(Number(`${step}e${power}`));
    const at = all.findIndex((one) => one >= middle * 0.999);
    return all.slice(Math.max(0, at - (SPEEDS >> 1) - 1), at + (SPEEDS >> 1) + 2);
  };

  // ---- The legend ----

  const swatch = (look, draw) => {
    const canvas = element("canvas", {width: 44, height: 32, className: "lpp-swatch", "aria-hidden": "true"});
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    draw(pen);
    return canvas;
  };

  const legend = (look, model) => {
    const some = (kind) => model.packets.some((packet) => packet.kind === kind);
    const glyph = (packet) => swatch(look, (pen) =>
      P.glyph(pen, look, {flow: 0, transmission: 1, ...packet}, 11, 8, 0, 12, false));
    const items = [];
    const add = (picture, text) => items.push(element("li", {}, picture, text));
    const flying = model.film.flows.map((flow, n) => [flow, n])
      .filter(([, n]) => model.packets.some((packet) => packet.flow === n));
    if (flying.length > 1) {
      for (const [flow, n] of flying) add(glyph({kind: "data", flow: n}), `${flow.name} (${flow.kind})`);
    } else if (some("data")) {
      add(glyph({kind: "data", flow: flying[0]?.[1] ?? 0}), "data");
    }
    if (model.packets.some((packet) => packet.transmission > 1)) add(glyph({kind: "data", transmission: 2}), "sent again");
    if (some("ack")) add(glyph({kind: "ack"}), "ACK");
    if (some("control")) add(glyph({kind: "control"}), "SYN, FIN");
    if (model.senders.length) {
      const color = look.flow(model.senders[0].flow);
      const cell = (state) => swatch(look, (pen) => P.cell(pen, look, color, state, 4, 1, 13, 14));
      add(cell("sacked"), "SACKed");
      add(cell("open"), "free in cwnd");
    }
    if (model.losses.length) {
      add(swatch(look, (pen) => {
        pen.strokeStyle = look.lost;
        pen.lineWidth = 2;
        pen.beginPath();
        for (const [a, b] of [[7, 15], [15, 7]]) { pen.moveTo(a, 4); pen.lineTo(b, 12); }
        pen.stroke();
      }), "lost");
    }
    return element("ul", {className: "lpp-legend"}, ...items);
  };

  window.LabkitPlayer = Object.assign(P, {element, looks, legend, speeds, speedText});
})();
