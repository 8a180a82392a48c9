// Where hosts, links, queues and rings are on the canvas, in pixels.

(() => {
  "use strict";

  const LANE = 6;          // px from the middle of a link to each of its lanes
  const GAP = 38;          // px from a host to the queue above it: words and what falls have room there
  const BELOW = 56;        // px from a host to the one below it
  const LEAST = 74;        // px; no queue is drawn shorter
  const EDGE = 13;         // px from a queue to the edge: what falls in front of it is seen
  const FALL = {beside: 14, below: 60}; // px from where a loss begins to fall: so much of it is seen, with a ring around it
  const LEVEL = 45;        // px; hosts less far above or below a queue are beside it
  const [TUBE, HOST] = [15, 9];

  // Places of hosts in pixels: {name, x, y, router}.
  const hostsOf = ({hosts, links}, width) => {
    const [xs, ys] = [hosts.map((host) => host.x), hosts.map((host) => host.y)];
    const [left, right, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys)];
    const pad = Math.min(64, Math.max(26, width * 0.082));
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
    return at;
  };

  // A queue with its head where the link begins: above its host if its packets go to the right, else below. As wide as
  // hosts leave room for it and for what falls in front of it.
  const tubeOf = (store, hosts, width, falls) => {
    const [here, there] = [hosts.get(store.host), hosts.get(store.peer)];
    const ahead = store.kind === "rx" ? here.x >= there.x : there.x >= here.x;
    const y = ahead ? here.y - GAP - TUBE : here.y + BELOW;
    const beside = [...hosts.values()].filter((other) => other !== here && (other.x < here.x) === ahead &&
      (Math.abs(other.y - here.y) < 20 || Math.abs(other.y - y) < LEVEL));
    const toEdge = (ahead ? here.x : width - here.x) + 9;
    const taken = 28 + (falls ? FALL.beside : 0);
    const free = Math.min(...beside.map((other) => Math.abs(other.x - here.x) - taken), toEdge);
    const own = Math.max(LEAST, Math.min(140, width * 0.18, free));
    const x = Math.max(EDGE, Math.min(width - own - EDGE, ahead ? here.x + 12 - own : here.x - 12));
    return {store, ahead, host: here, x, width: own, y, falls};
  };

  // What a tube takes: itself with the words above and below it, and where its losses fall. As [left, top, right, bottom].
  const boxes = (tube) => {
    const {x, y, width, falls} = tube;
    const own = [x - 5, y - 16, x + width + 5, y + TUBE + 17];
    if (!falls) return [own];
    const from = origin({byStore: new Map([[tube.store.key, tube]])}, {on: "store", store: tube.store.key, head: false});
    return [own, [from.x - FALL.beside, y, from.x + FALL.beside, from.y + FALL.below]];
  };

  const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  // Hosts and tubes, none on another one: a tube is moved away from the links until it is free, the fullest first.
  const layout = (model, width) => {
    const hosts = hostsOf(model.film, width);
    const falls = new Set(model.losses.filter(({where}) => where.on === "store" && !where.head).map(({where}) => where.store));
    const tubes = model.shown.map((store) => tubeOf(store, hosts, width, falls.has(store.key)));
    const lines = Math.max(1, ...model.film.links.map((link) => link.text.length));
    const taken = [...hosts.values()].map(({x, y}) => [x - HOST - 4, y - HOST - 4, x + HOST + 4, y + 18 + 14 * lines]);
    const fullest = [...tubes].sort((a, b) => b.store.lost.length - a.store.lost.length || b.store.most - a.store.most);
    for (const tube of fullest) {
      const free = () => !boxes(tube).some((mine) => taken.some((other) => meet(mine, other)));
      for (let i = 0; i < 60 && !free(); i += 1) tube.y += tube.ahead ? -6 : 6;
      taken.push(...boxes(tube));
    }
    for (const {where} of model.losses.filter((loss) => loss.where.on === "link")) { // words above or below it
      const {x, y} = origin({hosts}, where);
      taken.push([x, y - 25, x, y + FALL.below]);
    }
    const shift = -Math.min(...taken.map((one) => one[1])) + 2;
    for (const one of [...hosts.values(), ...tubes]) one.y += shift;
    const height = Math.round(Math.max(...taken.map((one) => one[3])) + shift + 8);
    return {hosts, tubes, byStore: new Map(tubes.map((tube) => [tube.store.key, tube])), width, height};
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

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {layout, lane, origin, sizes: {TUBE, HOST}});
})();
