// The network on a canvas: hosts, links with two lanes, queues and rings that fill, packets on their way.
// Knows a film (film.js) and a time; has no time of its own.

(() => {
  "use strict";

  const {layout, lane, origin, glyph, sprites, cross, words, wide, fitting, sized, dense} = window.LabkitPlayer;
  const {TUBE, HOST} = window.LabkitPlayer.sizes;
  const FALL_S = 1.3;      // of real time, from a loss until it is out of sight
  const NEAR = 14;         // px; as near as a finger comes
  const TAU = 2 * Math.PI;

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

  // The packets in a tube, the first one at its head.
  const filled = (pen, look, {ahead, x, y, width}, held, slots, drawn, chosen) => {
    const step = (width - 4) / slots;
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
  };

  // Open at its back; with a dashed line there if it may hold more than is drawn.
  const outlined = (pen, look, {ahead, x, y, width}, full, whole) => {
    const back = ahead ? x : x + width;
    const front = ahead ? x + width : x;
    pen.strokeStyle = full ? look.lost : look.muted;
    pen.lineWidth = full ? 2 : 1.3;
    pen.beginPath();
    pen.moveTo(back, y);
    pen.lineTo(front, y);
    pen.lineTo(front, y + TUBE);
    pen.lineTo(back, y + TUBE);
    pen.stroke();
    if (whole) return;
    pen.setLineDash([2, 3]);
    pen.beginPath();
    pen.moveTo(back, y);
    pen.lineTo(back, y + TUBE);
    pen.stroke();
    pen.setLineDash([]);
  };

  const titled = (pen, look, {store, x, y, width}, held, full, whole) => {
    const of = whole ? `${held.length}/${store.limit}` : `${held.length}`;
    words(pen, look, of, x + width, y - 8, {align: "right", bold: full, color: full ? look.lost : look.ink});
    const name = store.kind === "queue" ? `${store.host} → ${store.peer}` : `${store.what} ${store.host}`;
    const kind = store.kind === "queue" ? ` · ${store.what}` : "";
    const free = width - 12 - wide(pen, look, of, full);
    const short = store.kind === "queue" ? `→ ${store.peer}` : store.what;
    const said = fitting(pen, look, name + kind, free) || fitting(pen, look, short, free);
    words(pen, look, said, x, y - 8, {color: look.muted});
  };

  const tubes = (pen, look, place, inside, drawn, chosen) => {
    for (const tube of place.tubes) {
      const {store, x, y, width} = tube;
      const held = (inside.get(store.key) ?? []).sort((a, b) => a.t0 - b.t0 || a.packet.n - b.packet.n);
      const {slots, whole} = room(store);
      const full = store.limit !== null && held.length >= store.limit;
      pen.fillStyle = look.ground;
      pen.fillRect(x, y, width, TUBE);
      filled(pen, look, tube, held, slots, drawn, chosen);
      outlined(pen, look, tube, full, whole);
      titled(pen, look, tube, held, full, whole);
    }
  };

  // ---- What is lost ----

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

  // Words about what falls at x: gap px behind it, else all in front of it, else fewer of them. As {text, start}.
  const beside = (pen, look, place, said, x, gap) => {
    const whole = said.join(" · ");
    const [long, room] = [wide(pen, look, whole, true), place.width - 4 - x - gap];
    if (long <= room) return {text: whole, start: Math.max(4, x + gap)};
    if (x - 16 - long > 4) return {text: whole, start: x - 16 - long};
    const text = fitting(pen, look, whole, room, true) || said[0];
    return {text, start: Math.max(4, Math.min(x + gap, place.width - 4 - wide(pen, look, text, true)))};
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
      const said = [`✕ ${n} lost`, ...(recent ? [last.cause, last.reason] : [])];
      const upper = where.on !== "link" || place.hosts.get(where.from).x <= place.hosts.get(where.to).x;
      const line = tube ? tube.y + TUBE + 10 : where.on === "link" ? y + (upper ? -17 : 38) : y + 30;
      const {text, start} = beside(pen, look, place, said, x, tube ? 14 : -5);
      words(pen, look, text, start, line, {color: look.lost, bold: true});
    }
  };

  // ---- The stage ----

  // Where everything is in a room so wide, with the lane of each way that packets take ("from>to") and how long one is there.
  const placed = (model, width) => {
    const place = layout(model, width);
    place.lanes = new Map([...model.most.keys()].map((id) => [id, lane(place, ...id.split(">"))]));
    place.lengths = new Map([...model.most].map(([id, most]) =>
      [id, Math.max(2.5, Math.min(11, 0.8 * place.lanes.get(id).length / most))]));
    return place;
  };

  // Packets on links; each goes to drawn. Returns [how many there are, what is in each store].
  const flying = (pen, look, stamp, model, place, t, chosen, drawn) => {
    const inside = new Map();
    let count = 0;
    for (const part of model.at(t)) {
      if (part.on === "store") {
        if (!inside.has(part.store)) inside.set(part.store, []);
        inside.get(part.store).push(part);
        continue;
      }
      const id = `${part.from}>${part.to}`;
      const {x, y, x2, y2, angle} = place.lanes.get(id);
      const f = part.stands ? 0 : (t - part.t0) / (part.t1 - part.t0);
      const item = {x: x + (x2 - x) * f, y: y + (y2 - y) * f, packet: part.packet};
      const length = place.lengths.get(id);
      if (part.packet === chosen) glyph(pen, look, part.packet, item.x, item.y, angle, length, true);
      else stamp(pen, part.packet, item.x, item.y, angle, length);
      drawn.push(item);
      count += 1;
    }
    return [count, inside];
  };

  const stage = (canvas, model) => {
    const pen = canvas.getContext("2d");
    const background = document.createElement("canvas");
    let [place, drawn, stamp] = [null, [], null];

    const resize = (width, look) => {
      place = placed(model, width);
      for (const one of [canvas, background]) sized(one, width, place.height);
      network(background.getContext("2d"), look, model, place);
      stamp = sprites(look, dense());
    };

    // t: µs; speed: virtual by real time, for how long a fall is seen; still: nothing moves by itself.
    const draw = (t, {look, speed, still, chosen}) => {
      drawn = [];
      pen.clearRect(0, 0, place.width, place.height);
      pen.drawImage(background, 0, 0, place.width, place.height);
      const [count, inside] = flying(pen, look, stamp, model, place, t, chosen, drawn);
      tubes(pen, look, place, inside, drawn, chosen);
      falling(pen, look, model, place, t, speed, still, drawn, chosen);
      tallies(pen, look, model, place, t, speed);
      return count;
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

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {stage});
})();
