// Below the network: a sender's window as a strip, and cwnd and queues over time with a cursor.

(() => {
  "use strict";

  const {strip: stripAt, held} = window.LabkitPlayer;
  const [LEFT, RIGHT] = [44, 10]; // px beside the plots, for numbers
  const TALL = {cwnd: 92, queue: 78};
  const [TITLE, AXIS] = [20, 24];
  const CELL = {height: 18, top: 4, most: 13};
  const SERIES = 3;        // queues drawn at once, the fullest
  const SMALL = "11px ";

  const dense = () => Math.min(2, window.devicePixelRatio || 1);
  const sized = (canvas, width, height) => {
    canvas.width = Math.round(width * dense());
    canvas.height = Math.round(height * dense());
    canvas.style.height = `${height}px`;
    canvas.getContext("2d").setTransform(dense(), 0, 0, dense(), 0, 0);
  };

  // ---- The window as a strip ----

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

  const strip = (canvas, model) => {
    const pen = canvas.getContext("2d");
    const most = new Map();
    let width = 0;
    const height = 44;

    // The most cells that this sender ever needs: it is never drawn at two scales.
    const needed = (sender) => {
      if (!most.has(sender)) {
        let found = 10;
        for (const [, cwnd] of sender.cwnd) found = Math.max(found, cwnd);
        for (let i = 0; i <= 300; i += 1) {
          const t = model.begin + (model.end - model.begin) * i / 300;
          found = Math.max(found, stripAt(sender, t).segments.length);
        }
        most.set(sender, found);
      }
      return most.get(sender);
    };

    const resize = (room) => sized(canvas, width = room, height);
    const draw = (sender, t, look) => {
      const now = stripAt(sender, t);
      const step = Math.min(CELL.most, (width - 4) / needed(sender));
      const color = look.flow(sender.flow);
      pen.clearRect(0, 0, width, height);
      now.segments.forEach(({state}, i) => cell(pen, look, color, state, 2 + i * step, CELL.top, step, CELL.height));
      const open = Math.max(0, (now.cwnd ?? 0) - now.segments.length);
      for (let i = 0; i < open; i += 1) {
        cell(pen, look, color, "open", 2 + (now.segments.length + i) * step, CELL.top, step, CELL.height);
      }
      if (now.cwnd !== undefined) {
        const [y, x2] = [CELL.top + CELL.height + 6, 2 + now.cwnd * step - 1];
        pen.strokeStyle = look.ink;
        pen.lineWidth = 1.4;
        pen.beginPath();
        pen.moveTo(2, y - 3);
        pen.lineTo(2, y);
        pen.lineTo(x2, y);
        pen.lineTo(x2, y - 3);
        pen.stroke();
        pen.font = `${SMALL}${look.font}`;
        pen.fillStyle = look.ink;
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        const text = `cwnd ${now.cwnd}`;
        pen.fillText(text, Math.max(2, Math.min(width - 60, x2 - pen.measureText(text).width)), y + 9);
      }
      const counts = counted(now.segments);
      return {...now, counts, outstanding: now.segments.length};
    };
    return {resize, draw};
  };

  // ---- Over time ----

  const ticks = (low, high, most) => {
    const rough = (high - low) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
    return {found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
  };

  // still: a canvas for what does not move; over: one on top of it, for cursor and dots.
  const plots = (still, over, model) => {
    const pen = over.getContext("2d");
    let drawn = null;
    const full = Math.max(1, ...model.shown.map((store) => store.most));
    const stores = model.shown.filter((store) => store.most > 1 && store.most >= full / 5)
      .sort((a, b) => b.most - a.most).slice(0, SERIES);
    const rows = [];
    if (model.senders.length) {
      rows.push({kind: "cwnd", title: "cwnd (segments)",
        lines: model.senders.flatMap((sender) => [
          {series: sender.cwnd, flow: sender.flow, dash: []},
          {series: sender.ssthresh.map(([at, value]) => [at, value ?? NaN]), flow: sender.flow, dash: [4, 3], thin: true},
        ])});
    }
    if (stores.length) {
      const drawnAs = (i) => stores.length > 1 ? [" (solid)", " (dashed)", " (dotted)"][i] : "";
      const named = stores.map(({kind, what, host, peer}, i) =>
        (kind === "queue" ? `${host} → ${peer}` : `${what} of ${host}`) + drawnAs(i));
      const where = stores[0].kind === "queue" ? "queue" : "ring";
      rows.push({kind: "queue", title: `In the ${where} (packets): ${named.join(", ")}`,
        lines: stores.map((store, i) => ({series: store.series, flow: null, dash: [[], [5, 3], [2, 2]][i], fill: i === 0,
          limit: store.limit !== null && store.most > store.limit / 2 ? store.limit : null}))});
    }
    let [width, height, base] = [0, 0, null];
    const x = (t) => LEFT + (t - model.begin) / (model.end - model.begin) * (width - LEFT - RIGHT);

    const top = (row) => Math.max(1, ...row.lines.flatMap(({series, limit}) => [limit ?? 0, held(series, model.begin) || 0,
      ...series.filter(([t, v]) => t >= model.begin && t <= model.end && v === v).map(([, v]) => v)]));

    const path = (brush, {series, flow}, y) => {
      let value = held(series, model.begin) ?? (flow === null ? 0 : undefined); // a queue begins empty
      brush.beginPath();
      let on = false;
      const to = (t, v) => {
        if (v === undefined || v !== v) { on = false; return; }
        if (on) brush.lineTo(x(t), y(v));
        else brush.moveTo(x(t), y(v));
        on = true;
      };
      to(model.begin, value);
      for (const [t, v] of series) {
        if (t <= model.begin || t > model.end) continue;
        if (on) to(t, value);
        value = v;
        to(t, v);
      }
      to(model.end, value);
    };

    const resize = (room, look) => {
      width = room;
      height = rows.reduce((sum, row) => sum + TITLE + TALL[row.kind], 0) + AXIS;
      sized(still, width, height);
      sized(over, width, height);
      const brush = still.getContext("2d");
      brush.font = `${SMALL}${look.font}`;
      base = 0;
      for (const row of rows) {
        const [begin, tall] = [base + TITLE, TALL[row.kind]];
        const high = top(row) * 1.08;
        row.y = (value) => begin + tall - 4 - value / high * (tall - 8);
        brush.textAlign = "left";
        brush.textBaseline = "middle";
        brush.fillStyle = look.ink;
        brush.fillText(row.title, 2, base + 10, width - 4);
        brush.textAlign = "right";
        for (const value of ticks(0, high, 3).found) {
          brush.strokeStyle = look.faint;
          brush.lineWidth = 1;
          brush.beginPath();
          brush.moveTo(LEFT, row.y(value));
          brush.lineTo(width - RIGHT, row.y(value));
          brush.stroke();
          brush.fillStyle = look.muted;
          brush.fillText(`${value}`, LEFT - 6, row.y(value));
        }
        for (const one of row.lines) {
          const color = one.flow === null ? look.ink : look.flow(one.flow);
          brush.strokeStyle = brush.fillStyle = color;
          brush.lineWidth = one.thin || one.flow === null ? 1.2 : 1.6;
          brush.setLineDash(one.dash);
          path(brush, one, row.y);
          brush.stroke();
          if (one.fill) {
            brush.lineTo(x(model.end), row.y(0));
            brush.lineTo(x(model.begin), row.y(0));
            brush.globalAlpha = 0.12;
            brush.fill();
            brush.globalAlpha = 1;
          }
          if (one.limit) {
            brush.strokeStyle = look.lost;
            brush.lineWidth = 1;
            brush.setLineDash([3, 3]);
            brush.beginPath();
            brush.moveTo(LEFT, row.y(one.limit));
            brush.lineTo(width - RIGHT, row.y(one.limit));
            brush.stroke();
          }
          brush.setLineDash([]);
        }
        brush.strokeStyle = look.lost;
        brush.lineWidth = 1.4;
        for (const {at} of row.kind === "cwnd" || rows.length === 1 ? model.losses : []) {
          brush.beginPath();
          brush.moveTo(x(at), begin + tall - 4);
          brush.lineTo(x(at), begin + tall - 11);
          brush.stroke();
        }
        base = begin + tall;
      }
      const {found, digits} = ticks(model.begin / 1e6, model.end / 1e6, Math.max(2, Math.floor(width / 110)));
      brush.fillStyle = look.muted;
      for (const value of found) {
        const at = x(value * 1e6);
        brush.textAlign = at > width - 40 ? "right" : "center";
        brush.fillText(`${value.toFixed(digits)} s`, Math.min(at, width - 2), base + 12);
        brush.fillRect(at, base, 1, 4);
      }
    };

    const draw = (t, look) => {
      if (!rows.length) return;
      const at = x(t);
      if (drawn !== null) pen.clearRect(drawn - 6, 0, 12, height);
      drawn = at;
      pen.strokeStyle = look.ink;
      pen.lineWidth = 1.2;
      pen.beginPath();
      pen.moveTo(at, TITLE - 2);
      pen.lineTo(at, base);
      pen.stroke();
      for (const row of rows) {
        for (const {series, flow, thin} of row.lines) {
          const value = held(series, t) ?? (flow === null ? 0 : undefined);
          if (thin || value === undefined || value !== value) continue;
          pen.fillStyle = flow === null ? look.ink : look.flow(flow);
          pen.beginPath();
          pen.arc(at, row.y(value), 3.4, 0, 2 * Math.PI);
          pen.fill();
        }
      }
    };

    const timeAt = (px) => {
      const share = Math.min(1, Math.max(0, (px - LEFT) / (width - LEFT - RIGHT)));
      return model.begin + share * (model.end - model.begin);
    };
    return {resize, draw, timeAt, still, empty: rows.length === 0};
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {stripView: strip, plots, cell});
})();
