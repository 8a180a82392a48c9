// The network on a canvas: hosts, links with two lanes, queues and rings that fill, packets on their way.
// Knows a film (film.js) and a time; has no time of its own.

(() => {
  "use strict";

  const LANE = 6;          // px from the middle of a link to each of its lanes
  const GAP = 38;          // px from a host to the queue above it: words and what falls have room there
  const BELOW = 56;        // px from a host to the one below it
  const [TUBE, HOST] = [15, 9];
  const FALL_S = 1.3;      // of real time, from a loss until it is out of sight
  const NEAR = 14;         // px; as near as a finger comes
  const LEAST = 74;        // px; no queue is drawn shorter
  const TAU = 2 * Math.PI;
  const SMALL = "11px ";

  // ---- Where things stand ----

  // Hosts in pixels; queues above those whose packets go to the right, below the others.
  const layout = (model, width) => {
    const {hosts, links} = model.film;
    const [xs, ys] = [hosts.map((host) => host.x), hosts.map((host) => host.y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const pad = Math.min(56, Math.max(26, width * 0.07));
    const across = right > left ? (width - 2 * pad) / (right - left) : 0;
    const down = Math.min(110, Math.max(70, across));
    const at = new Map(hosts.map((host) => [host.name, {
      name: host.name, x: right > left ? pad + (host.x - left) * across : width / 2, y: (host.y - top) * down,
    }]));
    const degree = new Map();
    for (const link of links) {
      for (const n of [link.a, link.b]) degree.set(hosts[n].name, (degree.get(hosts[n].name) ?? 0) + 1);
    }
    for (const host of at.values()) host.router = (degree.get(host.name) ?? 0) > 1;
    const size = Math.min(140, Math.max(LEAST, width * 0.18));
    const tubes = model.shown.map((store) => { // its head is where the link begins
      const [here, there] = [at.get(store.host), at.get(store.peer)];
      const ahead = store.kind === "rx" ? here.x >= there.x : there.x >= here.x;
      const beside = [...at.values()].filter((other) => Math.abs(other.y - here.y) < 20 && (other.x < here.x) === ahead && other !== here);
      const free = Math.min(...beside.map((other) => Math.abs(other.x - here.x) - 28), ahead ? here.x + 9 : width - here.x + 9);
      const own = Math.max(LEAST, Math.min(size, free));
      const x = Math.max(3, Math.min(width - own - 3, ahead ? here.x + 12 - own : here.x - 12));
      return {store, ahead, host: here, x, width: own, y: ahead ? here.y - GAP - TUBE : here.y + BELOW};
    });
    // With the words above and below it none lies on another one or on a host: it is moved away from the links.
    const box = (tube) => [tube.x - 5, tube.y - 16, tube.x + tube.width + 5, tube.y + TUBE + 17];
    const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    const lines = Math.max(1, ...links.map((link) => link.text.length));
    const taken = [...at.values()].map(({x, y}) => [x - HOST - 4, y - HOST - 4, x + HOST + 4, y + 18 + 14 * lines]);
    const fullest = [...tubes].sort((a, b) => b.store.lost.length - a.store.lost.length || b.store.most - a.store.most);
    for (const tube of fullest) {
      for (let i = 0; i < 60 && taken.some((other) => meet(box(tube), other)); i += 1) tube.y += tube.ahead ? -6 : 6;
      taken.push(box(tube));
    }
    const shift = -Math.min(...taken.map((one) => one[1])) + 2;
    for (const one of [...at.values(), ...tubes]) one.y += shift;
    const height = Math.round(Math.max(...taken.map((one) => one[3])) + shift + 8);
    return {hosts: at, tubes, byStore: new Map(tubes.map((tube) => [tube.store.key, tube])), width, height};
  };

  // From and to of a lane: beside the middle of the link, on the left of those who travel, from edge to edge.
  const lane = (place, from, to) => {
    const [a, b] = [place.hosts.get(from), place.hosts.get(to)];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const [ox, oy] = [dy * LANE, -dx * LANE];
    const edge = HOST + 3;
    return {x: a.x + dx * edge + ox, y: a.y + dy * edge + oy, x2: b.x - dx * edge + ox, y2: b.y - dy * edge + oy,
      angle: Math.atan2(dy, dx), length: Math.max(1, length - 2 * edge)};
  };

  // ---- Shapes ----

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
    pen.font = `${bold ? "600 " : ""}${SMALL}${look.font}`;
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

  const fitting = (pen, look, text, room) => {
    pen.font = `${SMALL}${look.font}`;
    const parts = text.split(" · ");
    while (parts.length && pen.measureText(parts.join(" · ")).width > room) parts.pop();
    return parts.join(" · ");
  };

  // ---- What does not move ----

  const network = (pen, look, model, place) => {
    const {hosts, links} = model.film;
    for (const link of links) {
      const [a, b] = [hosts[link.a].name, hosts[link.b].name];
      for (const [from, to] of [[a, b], [b, a]]) {
        const {x, y, x2, y2} = lane(place, from, to);
        pen.strokeStyle = look.faint;
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x2, y2);
        pen.stroke();
      }
      const [here, there] = [place.hosts.get(a), place.hosts.get(b)];
      if (Math.abs(there.y - here.y) > 8) continue;
      const room = Math.abs(there.x - here.x) - 46;
      const text = fitting(pen, look, link.text[0] ?? "", room);
      const middle = (here.x + there.x) / 2;
      if (text) words(pen, look, text, middle, here.y + 22, {align: "center", color: look.muted});
      link.text.slice(1).forEach((way, i) => { // what holds one way only
        const [ends, facts] = way.split(": ");
        const own = fitting(pen, look, facts, room - pen.measureText(`${ends}: `).width);
        if (own) words(pen, look, `${ends}: ${own}`, middle, here.y + 36 + 14 * i, {align: "center", color: look.muted});
      });
    }
    for (const host of place.hosts.values()) {
      pen.fillStyle = look.ground;
      pen.strokeStyle = look.ink;
      pen.lineWidth = 1.6;
      pen.beginPath();
      if (host.router) pen.roundRect(host.x - HOST, host.y - HOST, 2 * HOST, 2 * HOST, 4);
      else pen.arc(host.x, host.y, HOST, 0, TAU);
      pen.fill();
      pen.stroke();
      words(pen, look, host.name, host.x, host.y + 24, {align: "center", bold: true});
    }
  };

  // How many packets a tube has room for as it is drawn, and whether that is all that the queue may hold.
  const room = (store) => {
    const whole = store.limit !== null && store.most > store.limit / 5;
    return {slots: whole ? store.limit : Math.max(8, Math.ceil(store.most * 1.2)), whole};
  };

  const tubes = (pen, look, place, t, inside, drawn, chosen) => {
    for (const tube of place.tubes) {
      const {store, ahead, x, y, width} = tube;
      const held = (inside.get(store.key) ?? []).sort((a, b) => a.t0 - b.t0 || a.packet.n - b.packet.n);
      const {slots, whole} = room(store);
      const step = (width - 4) / slots;
      pen.fillStyle = look.ground;
      pen.fillRect(x, y, width, TUBE);
      held.forEach(({packet}, i) => {
        const start = ahead ? x + width - 2 - step * (i + 1) : x + 2 + step * i;
        const gap = step >= 4 ? 1 : 0;
        const thin = packet.kind === "data" ? 0 : (TUBE - 4) / 4;
        pen.fillStyle = look.flow(packet.flow);
        pen.fillRect(start, y + 2 + thin, Math.max(0.6, step - gap), TUBE - 4 - 2 * thin);
        if (packet === chosen) {
          pen.strokeStyle = look.ink;
          pen.lineWidth = 2;
          pen.strokeRect(start - 1, y, Math.max(3, step) + 1, TUBE);
        }
        drawn.push({x: start + step / 2, y: y + TUBE / 2, packet});
      });
      const back = ahead ? x : x + width;
      const front = ahead ? x + width : x;
      const full = store.limit !== null && held.length >= store.limit;
      pen.strokeStyle = full ? look.lost : look.muted;
      pen.lineWidth = full ? 2 : 1.3;
      pen.beginPath();
      pen.moveTo(back, y);
      pen.lineTo(front, y);
      pen.lineTo(front, y + TUBE);
      pen.lineTo(back, y + TUBE);
      pen.stroke();
      if (!whole) {
        pen.setLineDash([2, 3]);
        pen.beginPath();
        pen.moveTo(back, y);
        pen.lineTo(back, y + TUBE);
        pen.stroke();
        pen.setLineDash([]);
      }
      const of = whole ? `${held.length}/${store.limit}` : `${held.length}`;
      words(pen, look, of, x + width, y - 8, {align: "right", bold: full, color: full ? look.lost : look.ink});
      const name = store.kind === "queue" ? `${store.host} → ${store.peer}` : `${store.what} ${store.host}`;
      const kind = store.kind === "queue" ? ` · ${store.what}` : "";
      const free = width - 12 - pen.measureText(of).width;
      words(pen, look, fitting(pen, look, name + kind, free) || name, x, y - 8, {color: look.muted});
    }
  };

  // ---- What is lost ----

  // Where a loss begins to fall: in front of a queue, at its head, where a wire begins, or in a host.
  const origin = (place, where) => {
    if (where.on === "store") {
      const tube = place.byStore.get(where.store);
      if (tube) return {x: (where.head === tube.ahead) ? tube.x + tube.width + 4 : tube.x - 4, y: tube.y + TUBE / 2};
      const host = place.hosts.get(where.store.split(":")[1].split(">")[0]);
      return {x: host.x, y: host.y};
    }
    if (where.on === "host") {
      const host = place.hosts.get(where.host);
      return {x: host.x, y: host.y + HOST};
    }
    const {x, y, x2, y2} = lane(place, where.from, where.to);
    return {x: x + (x2 - x) * 0.1, y: y + (y2 - y) * 0.1};
  };

  const falling = (pen, look, model, place, t, speed, still, drawn, chosen) => {
    const span = FALL_S * 1e6 * speed;
    for (const loss of model.losses) {
      if (loss.at > t || loss.at < t - span) continue;
      const done = (t - loss.at) / span;
      const u = still ? 0.4 : done;
      const {x, y} = origin(place, loss.where);
      pen.globalAlpha = still ? 1 : 1 - u * u;
      cross(pen, look, x, y);
      const drop = {x, y: y + 6 + 46 * u * u};
      glyph(pen, look, loss.packet, drop.x, drop.y, 1.1 * u + 0.3, 9, loss.packet === chosen);
      pen.globalAlpha = 1;
      drawn.push({...drop, packet: loss.packet});
    }
  };

  // How many were lost at each place until now; and why, while the last of them is falling.
  const tallies = (pen, look, model, place, t, speed) => {
    const counts = new Map();
    for (const loss of model.losses) {
      if (loss.at > t) continue;
      const {x, y} = origin(place, loss.where);
      const id = `${Math.round(x)},${Math.round(y)}`;
      counts.set(id, {x, y, last: loss, n: (counts.get(id)?.n ?? 0) + 1});
    }
    for (const {x, y, last, n} of counts.values()) {
      const {where} = last;
      const tube = where.on === "store" ? place.byStore.get(where.store) : null;
      const recent = t - last.at <= FALL_S * 1e6 * speed;
      const text = `✕ ${n} lost${recent ? ` · ${last.cause} · ${last.reason}` : ""}`;
      const upper = where.on !== "link" || place.hosts.get(where.from).x <= place.hosts.get(where.to).x;
      const line = tube ? tube.y + TUBE + 10 : where.on === "link" ? y + (upper ? -17 : 38) : y + 30;
      pen.font = `600 ${SMALL}${look.font}`;
      const wide = pen.measureText(text).width;
      const wanted = tube && tube.ahead ? tube.x + 10 : x - 5;
      const over = wanted + wide > place.width - 4; // then in front of it, where nothing falls
      const start = over && x - 16 - wide > 4 ? x - 16 - wide : Math.max(4, Math.min(wanted, place.width - wide - 4));
      words(pen, look, text, start, line, {color: look.lost, bold: true});
    }
  };

  // ---- The stage ----

  const stage = (canvas, model) => {
    const pen = canvas.getContext("2d");
    let place = null;
    let drawn = [];
    let stamp = null;
    const background = document.createElement("canvas");

    const resize = (width, look) => {
      place = layout(model, width);
      const dense = Math.min(2, window.devicePixelRatio || 1);
      for (const one of [canvas, background]) {
        one.width = Math.round(width * dense);
        one.height = Math.round(place.height * dense);
      }
      canvas.style.height = `${place.height}px`;
      const under = background.getContext("2d");
      under.setTransform(dense, 0, 0, dense, 0, 0);
      under.clearRect(0, 0, width, place.height);
      network(under, look, model, place);
      pen.setTransform(dense, 0, 0, dense, 0, 0);
      stamp = sprites(look, dense);
      place.lanes = new Map();
      place.lengths = new Map([...model.most].map(([id, most]) => {
        const {length} = lane(place, ...id.split(">"));
        return [id, Math.max(2.5, Math.min(11, 0.8 * length / most))];
      }));
    };

    // t: µs; speed: virtual by real time, for how long a fall is seen; still: nothing moves by itself.
    const draw = (t, {look, speed, still, chosen}) => {
      drawn = [];
      pen.clearRect(0, 0, place.width, place.height);
      pen.drawImage(background, 0, 0, place.width, place.height);
      const inside = new Map();
      let flying = 0;
      for (const part of model.at(t)) {
        if (part.on === "store") {
          if (!inside.has(part.store)) inside.set(part.store, []);
          inside.get(part.store).push(part);
          continue;
        }
        const id = `${part.from}>${part.to}`;
        if (!place.lanes.has(id)) place.lanes.set(id, lane(place, part.from, part.to));
        const {x, y, x2, y2, angle} = place.lanes.get(id);
        const f = part.stands ? 0 : (t - part.t0) / (part.t1 - part.t0);
        const item = {x: x + (x2 - x) * f, y: y + (y2 - y) * f, packet: part.packet};
        const length = place.lengths.get(id) ?? 8;
        if (part.packet === chosen) glyph(pen, look, part.packet, item.x, item.y, angle, length, true);
        else stamp(pen, part.packet, item.x, item.y, angle, length);
        drawn.push(item);
        flying += 1;
      }
      tubes(pen, look, place, t, inside, drawn, chosen);
      falling(pen, look, model, place, t, speed, still, drawn, chosen);
      tallies(pen, look, model, place, t, speed);
      return flying;
    };

    const hit = (x, y) => {
      let [best, near] = [null, NEAR];
      for (const item of drawn) {
        const far = Math.hypot(item.x - x, item.y - y);
        if (far <= near) [best, near] = [item.packet, far];
      }
      return best;
    };

    return {resize, draw, hit, shown: () => drawn};
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer ?? {}, {stage, glyph});
})();
