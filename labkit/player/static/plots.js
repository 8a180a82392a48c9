// Below the strip: cwnd and queues over time, with a cursor.

(() => {
  "use strict";

  const {held, sized, font} = window.LabkitPlayer;
  const [LEFT, RIGHT] = [44, 10]; // px beside the plots, for numbers
  const TALL = {cwnd: 92, queue: 78};
  const [TITLE, AXIS] = [20, 24];
  const SERIES = 3;        // queues drawn at once, the fullest

  // ---- What there is to draw: rows of lines ----

  // {series: [[time, value], ...], flow: its number, or null for a queue, dash, thin, fill, limit}
  const windows = (senders) => ({kind: "cwnd", title: "cwnd (segments)", lines: senders.flatMap((sender) => [
    {series: sender.cwnd, flow: sender.flow, dash: []},
    {series: sender.ssthresh.map(([at, value]) => [at, value ?? NaN]), flow: sender.flow, dash: [4, 3], thin: true},
  ])});

  const queues = (stores) => {
    const drawnAs = (i) => stores.length > 1 ? [" (solid)", " (dashed)", " (dotted)"][i] : "";
    const named = stores.map(({kind, what, host, peer}, i) =>
      (kind === "queue" ? `${host} → ${peer}` : `${what} of ${host}`) + drawnAs(i));
    const where = stores[0].kind === "queue" ? "queue" : "ring";
    return {kind: "queue", title: `In the ${where} (packets): ${named.join(", ")}`,
      lines: stores.map((store, i) => ({series: store.series, flow: null, dash: [[], [5, 3], [2, 2]][i], fill: i === 0,
        limit: store.limit !== null && store.most > store.limit / 2 ? store.limit : null}))};
  };

  const rowsOf = (model) => {
    const full = Math.max(1, ...model.shown.map((store) => store.most));
    const stores = model.shown.filter((store) => store.most > 1 && store.most >= full / 5)
      .sort((a, b) => b.most - a.most).slice(0, SERIES);
    const rows = [...(model.senders.length ? [windows(model.senders)] : []), ...(stores.length ? [queues(stores)] : [])];
    let base = 0;
    for (const row of rows) {
      const high = 1.08 * most(row, model);
      Object.assign(row, {top: base, begin: base + TITLE, tall: TALL[row.kind], high});
      row.y = (value) => row.begin + row.tall - 4 - value / high * (row.tall - 8);
      base = row.begin + row.tall;
    }
    return rows;
  };

  const most = (row, {begin, end}) => Math.max(1, ...row.lines.flatMap(({series, limit}) => [limit ?? 0,
    held(series, begin) || 0, ...series.filter(([t, v]) => t >= begin && t <= end && v === v).map(([, v]) => v)]));

  // What a line has at a time: a queue begins empty, a window is not known before the first packet.
  const valueAt = ({series, flow}, t) => held(series, t) ?? (flow === null ? 0 : undefined);

  // ---- What does not move ----

  const ticks = (low, high, most) => {
    const rough = (high - low) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
    return {found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
  };

  const path = (brush, line, x, y, {begin, end}) => {
    let [value, on] = [valueAt(line, begin), false];
    const to = (t, v) => {
      if (v === undefined || v !== v) { on = false; return; }
      if (on) brush.lineTo(x(t), y(v));
      else brush.moveTo(x(t), y(v));
      on = true;
    };
    brush.beginPath();
    to(begin, value);
    for (const [t, v] of line.series) {
      if (t <= begin || t > end) continue;
      if (on) to(t, value);
      value = v;
      to(t, v);
    }
    to(end, value);
  };

  const across = (brush, y, width) => {
    brush.beginPath();
    brush.moveTo(LEFT, y);
    brush.lineTo(width - RIGHT, y);
    brush.stroke();
  };

  const grid = (brush, look, row, width) => {
    brush.textAlign = "left";
    brush.textBaseline = "middle";
    brush.fillStyle = look.ink;
    brush.fillText(row.title, 2, row.top + 10, width - 4);
    brush.textAlign = "right";
    for (const value of ticks(0, row.high, 3).found) {
      brush.strokeStyle = look.faint;
      brush.lineWidth = 1;
      across(brush, row.y(value), width);
      brush.fillStyle = look.muted;
      brush.fillText(`${value}`, LEFT - 6, row.y(value));
    }
  };

  const drawLine = (brush, look, row, line, x, model, width) => {
    brush.strokeStyle = brush.fillStyle = line.flow === null ? look.ink : look.flow(line.flow);
    brush.lineWidth = line.thin || line.flow === null ? 1.2 : 1.6;
    brush.setLineDash(line.dash);
    path(brush, line, x, row.y, model);
    brush.stroke();
    if (line.fill) {
      brush.lineTo(x(model.end), row.y(0));
      brush.lineTo(x(model.begin), row.y(0));
      brush.globalAlpha = 0.12;
      brush.fill();
      brush.globalAlpha = 1;
    }
    if (line.limit) {
      brush.strokeStyle = look.lost;
      brush.lineWidth = 1;
      brush.setLineDash([3, 3]);
      across(brush, row.y(line.limit), width);
    }
    brush.setLineDash([]);
  };

  const marks = (brush, look, row, losses, x) => {
    brush.strokeStyle = look.lost;
    brush.lineWidth = 1.4;
    for (const {at} of losses) {
      brush.beginPath();
      brush.moveTo(x(at), row.begin + row.tall - 4);
      brush.lineTo(x(at), row.begin + row.tall - 11);
      brush.stroke();
    }
  };

  const axis = (brush, look, {begin, end}, x, base, width) => {
    const {found, digits} = ticks(begin / 1e6, end / 1e6, Math.max(2, Math.floor(width / 110)));
    brush.fillStyle = look.muted;
    for (const value of found) {
      const at = x(value * 1e6);
      brush.textAlign = at > width - 40 ? "right" : "center";
      brush.fillText(`${value.toFixed(digits)} s`, Math.min(at, width - 2), base + 12);
      brush.fillRect(at, base, 1, 4);
    }
  };

  // ---- The cursor ----

  const cursor = (pen, look, rows, t, at, base) => {
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(at, TITLE - 2);
    pen.lineTo(at, base);
    pen.stroke();
    for (const row of rows) {
      for (const line of row.lines) {
        const value = valueAt(line, t);
        if (line.thin || value === undefined || value !== value) continue;
        pen.fillStyle = line.flow === null ? look.ink : look.flow(line.flow);
        pen.beginPath();
        pen.arc(at, row.y(value), 3.4, 0, 2 * Math.PI);
        pen.fill();
      }
    }
  };

  // still: a canvas for what does not move; over: one on top of it, for cursor and dots.
  const plots = (still, over, model) => {
    const pen = over.getContext("2d");
    const rows = rowsOf(model);
    const base = rows.reduce((sum, row) => sum + TITLE + row.tall, 0);
    let [width, drawn] = [0, null];
    const x = (t) => LEFT + (t - model.begin) / (model.end - model.begin) * (width - LEFT - RIGHT);

    const resize = (room, look) => {
      width = room;
      sized(still, width, base + AXIS);
      sized(over, width, base + AXIS);
      const brush = still.getContext("2d");
      brush.font = font(look);
      for (const row of rows) {
        grid(brush, look, row, width);
        for (const line of row.lines) drawLine(brush, look, row, line, x, model, width);
        if (row.kind === "cwnd" || rows.length === 1) marks(brush, look, row, model.losses, x);
      }
      axis(brush, look, model, x, base, width);
    };

    const draw = (t, look) => {
      if (!rows.length) return;
      if (drawn !== null) pen.clearRect(drawn - 6, 0, 12, base + AXIS);
      drawn = x(t);
      cursor(pen, look, rows, t, drawn, base);
    };

    const timeAt = (px) => {
      const share = Math.min(1, Math.max(0, (px - LEFT) / (width - LEFT - RIGHT)));
      return model.begin + share * (model.end - model.begin);
    };
    return {resize, draw, timeAt, still, empty: rows.length === 0};
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {plots});
})();
