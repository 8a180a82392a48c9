// Where hosts, links, queues and rings are on the canvas, in pixels.

(() => {
  "use strict";

  const LANE = 6;          // px from the middle of a link to each of its lanes
  const GAP = 38;          // px from a host to the queue above it: words and what falls have room there
  const BELOW = 56;        // px from a host to the one below it
  const LEAST = 74;        // px; no queue is drawn shorter
  const EDGE = 13;         // px from a queue to the edge: what falls in front of it is seen
  const [TUBE, HOST] = [15, 9];

  // Hosts in pixels; queues above those whose packets go to the right, below the others.
  const layout = (model, width) => {
    const {hosts, links} = model.film;
    const [xs, ys] = [hosts.map((host) => host.x), hosts.map((host) => host.y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
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
    const size = Math.min(140, Math.max(LEAST, width * 0.18));
    const tubes = model.shown.map((store) => { // its head is where the link begins
      const [here, there] = [at.get(store.host), at.get(store.peer)];
      const ahead = store.kind === "rx" ? here.x >= there.x : there.x >= here.x;
      const beside = [...at.values()].filter((other) => other !== here && Math.abs(other.y - here.y) < 20 &&
        (other.x < here.x) === ahead);
      const toEdge = (ahead ? here.x : width - here.x) + 9;
      const free = Math.min(...beside.map((other) => Math.abs(other.x - here.x) - 28), toEdge);
      const own = Math.max(LEAST, Math.min(size, free));
      const x = Math.max(EDGE, Math.min(width - own - EDGE, ahead ? here.x + 12 - own : here.x - 12));
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
