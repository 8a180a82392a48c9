// Packets, crosses and words, as they are painted everywhere, and the canvases for them.

(() => {
  "use strict";

  const TAU = 2 * Math.PI;
  const font = (look, bold = false) => `${bold ? "600 " : ""}11px ${look.font}`;

  const dense = () => Math.min(2, window.devicePixelRatio || 1);

  // A canvas of so many px of the page, empty.
  const sized = (canvas, width, height) => {
    canvas.width = Math.round(width * dense());
    canvas.height = Math.round(height * dense());
    canvas.style.height = `${height}px`;
    canvas.getContext("2d").setTransform(dense(), 0, 0, dense(), 0, 0);
  };

  // Data: a box; sent again: with a line through it. An acknowledgement: a hollow triangle. Neither: a diamond.
  const glyph = (pen, look, packet, x, y, angle, length, chosen) => {
    const color = look.flow(packet.flow);
    pen.save();
    pen.translate(x, y);
    pen.rotate(angle);
    if (packet.kind === "data") {
      const tall = Math.min(9, Math.max(6, length));
      pen.fillStyle = color;
      pen.beginPath();
      pen.roundRect(-length / 2, -tall / 2, length, tall, Math.min(2, length / 3));
      pen.fill();
      if (packet.transmission > 1) {
        pen.fillStyle = look.ground;
        pen.fillRect(-length / 2, -1, length, 2);
      }
    } else {
      const r = packet.kind === "ack" ? 4 : 4.5;
      pen.beginPath();
      if (packet.kind === "ack") [[-r, -r], [r, 0], [-r, r]].forEach(([a, b]) => pen.lineTo(a, b));
      else [[-r, 0], [0, -r], [r, 0], [0, r]].forEach(([a, b]) => pen.lineTo(a, b));
      pen.closePath();
      pen.lineWidth = 1.6;
      pen.strokeStyle = pen.fillStyle = color;
      if (packet.kind === "control") pen.fill();
      else {
        pen.fillStyle = look.ground;
        pen.fill();
        pen.stroke();
      }
    }
    if (chosen) {
      pen.strokeStyle = look.ink;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.arc(0, 0, Math.max(9, length / 2 + 4), 0, TAU);
      pen.stroke();
    }
    pen.restore();
  };

  // The same, for hundreds at once: each look of a glyph is painted once and copied then.
  const R = 16; // px from the middle of such a picture to its edge
  const sprites = (look, dense) => {
    const known = new Map();
    const made = (packet, angle, length) => {
      const picture = document.createElement("canvas");
      picture.width = picture.height = 2 * R * dense;
      const pen = picture.getContext("2d");
      pen.scale(dense, dense);
      glyph(pen, look, packet, R, R, angle, length, false);
      return picture;
    };
    return (pen, packet, x, y, angle, length) => {
      const flat = Math.abs(Math.sin(angle)) < 0.01;
      if (flat && packet.kind === "data" && length < 5) {
        pen.fillStyle = look.flow(packet.flow);
        pen.fillRect(x - length / 2, y - 3, length, 6);
        return;
      }
      const id = `${packet.kind} ${packet.flow} ${packet.transmission > 1} ${angle.toFixed(2)} ${length.toFixed(1)}`;
      if (!known.has(id)) known.set(id, made(packet, angle, length));
      pen.drawImage(known.get(id), x - R, y - R, 2 * R, 2 * R);
    };
  };

  const cross = (pen, look, x, y, size = 4) => {
    pen.strokeStyle = look.lost;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x + size, y - size);
    pen.lineTo(x - size, y + size);
    pen.stroke();
  };

  const words = (pen, look, text, x, y, {align = "left", bold = false, color = look.ink, halo = true} = {}) => {
    pen.font = font(look, bold);
    pen.textAlign = align;
    pen.textBaseline = "middle";
    if (halo) {
      pen.strokeStyle = look.ground;
      pen.lineWidth = 3;
      pen.lineJoin = "round";
      pen.strokeText(text, x, y);
    }
    pen.fillStyle = color;
    pen.fillText(text, x, y);
  };

  // px
  const wide = (pen, look, text, bold = false) => {
    pen.font = font(look, bold);
    return pen.measureText(text).width;
  };

  // As many of the parts between dots as there is room for.
  const fitting = (pen, look, text, room, bold = false) => {
    const parts = text.split(" · ");
    while (parts.length && wide(pen, look, parts.join(" · "), bold) > room) parts.pop();
    return parts.join(" · ");
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {glyph, sprites, cross, words, wide, fitting, font, dense, sized});
})();
