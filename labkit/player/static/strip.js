// Below the network: a sender's window as a strip of its segments.

(() => {
  "use strict";

  const {strip: stripAt, sized, font} = window.LabkitPlayer;
  const CELL = {height: 18, top: 4, most: 13};
  const HEIGHT = 44;

  const counted = (segments) => {
    const counts = {sent: 0, again: 0, sacked: 0, lost: 0};
    for (const {state} of segments) counts[state] += 1;
    return counts;
  };

  // What each state looks like: full, full with a line through it, a hollow, a cross in a hollow.
  const cell = (pen, look, color, state, x, y, width, height) => {
    const wide = Math.max(1, width - (width > 4 ? 1.5 : 0.4));
    if (state === "sent" || state === "again") {
      pen.fillStyle = color;
      pen.fillRect(x, y, wide, height);
      if (state === "again") {
        pen.fillStyle = look.ground;
        pen.fillRect(x, y + height / 2 - 1, wide, 2);
      }
    } else if (state === "sacked") {
      pen.fillStyle = color;
      pen.globalAlpha = 0.35;
      pen.fillRect(x, y + height * 0.6, wide, height * 0.4);
      pen.globalAlpha = 1;
      pen.fillRect(x, y + height - 2, wide, 2);
    } else if (state === "lost") {
      pen.strokeStyle = pen.fillStyle = look.lost;
      if (width < 6) {
        pen.fillRect(x, y - 3, wide, height + 3);
        return;
      }
      pen.lineWidth = 1.6;
      pen.beginPath();
      pen.moveTo(x + 1.5, y + 5);
      pen.lineTo(x + wide - 1.5, y + height - 5);
      pen.moveTo(x + wide - 1.5, y + 5);
      pen.lineTo(x + 1.5, y + height - 5);
      pen.stroke();
      pen.strokeRect(x + 0.5, y + 0.5, wide - 1, height - 1);
    } else {
      pen.strokeStyle = look.faint;
      pen.lineWidth = 1;
      if (width > 3) pen.strokeRect(x + 0.5, y + 0.5, wide - 1, height - 1);
      else pen.fillRect(x, y + height / 2, wide, 1);
    }
  };

  // The most cells that a sender ever needs: it is never drawn at two scales.
  const needed = (sender, {begin, end}) => {
    let found = 10;
    for (const [, cwnd] of sender.cwnd) found = Math.max(found, cwnd);
    for (let i = 0; i <= 300; i += 1) {
      found = Math.max(found, stripAt(sender, begin + (end - begin) * i / 300).segments.length);
    }
    return found;
  };

  // A brace as wide as cwnd, with its number.
  const brace = (pen, look, cwnd, step, width) => {
    const [y, x2] = [CELL.top + CELL.height + 6, 2 + cwnd * step - 1];
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1.4;
    pen.beginPath();
    pen.moveTo(2, y - 3);
    pen.lineTo(2, y);
    pen.lineTo(x2, y);
    pen.lineTo(x2, y - 3);
    pen.stroke();
    pen.font = font(look);
    pen.fillStyle = look.ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const text = `cwnd ${cwnd}`;
    pen.fillText(text, Math.max(2, Math.min(width - 60, x2 - pen.measureText(text).width)), y + 9);
  };

  const stripView = (canvas, model) => {
    const pen = canvas.getContext("2d");
    const most = new Map();
    let width = 0;

    const resize = (room) => sized(canvas, width = room, HEIGHT);
    const draw = (sender, t, look) => {
      const now = stripAt(sender, t);
      if (!most.has(sender)) most.set(sender, needed(sender, model));
      const step = Math.min(CELL.most, (width - 4) / most.get(sender));
      const open = Math.max(0, (now.cwnd ?? 0) - now.segments.length);
      const states = [...now.segments.map(({state}) => state), ...Array(open).fill("open")];
      pen.clearRect(0, 0, width, HEIGHT);
      states.forEach((state, i) =>
        cell(pen, look, look.flow(sender.flow), state, 2 + i * step, CELL.top, step, CELL.height));
      if (now.cwnd !== undefined) brace(pen, look, now.cwnd, step, width);
      return {...now, counts: counted(now.segments), outstanding: now.segments.length};
    };
    return {resize, draw};
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {stripView, cell});
})();
