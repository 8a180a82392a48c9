// A film as it was recorded (labkit/player/film.py), unpacked: what is where at any time. Draws nothing.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const FORMAT = 1;
  const {OUT, IN, DEQUEUED, STARTED, CAME_IN} = P.kinds;
  const POSTER = 8; // so many packets on links make a picture
  const BUCKETS = 1024; // the time of a film is cut into so many parts, each knows what goes on in it

  // ---- Columns ----

  const parse = (text) => parseInt(text, 36);
  const spread = (text) => {
    const found = [];
    for (const part of text ? text.split(" ") : []) {
      const [written, again] = part.split("*");
      const value = written === "-" ? null : parse(written);
      for (let i = again ? parse(again) : 1; i > 0; i -= 1) found.push(value);
    }
    return found;
  };

  const column = (packed, count) => {
    if ("is" in packed) return Array(count).fill(packed.is);
    if ("of" in packed) return spread(packed.at).map((i) => packed.of[i]);
    if ("n" in packed) return spread(packed.n);
    let sum = 0;
    return spread(packed.d).map((step) => sum += step);
  };

  const columns = (held, names) => Object.fromEntries(names.map((name) => [name, column(held[name], held.count)]));

  // [[time, value], ...] of what changes now and then.
  const steps = (held) => {
    const [at, value] = [column(held.at, held.count), column(held.value, held.count)];
    return at.map((t, i) => [t, value[i]]);
  };

  // ---- Packets ----

  const ADDED_UP = ["seq", "ack", "ip_id", "window", "tsval", "tsecr"];
  const HEADERS = [...ADDED_UP, "payload", "length", "transmission", "flags", "sacks"];

  const packetsOf = (film) => {
    const held = columns(film.packets, ["route", "at", "ends", ...HEADERS]);
    const sums = new Map();
    const edges = column(film.packets.edges, 2 * held.sacks.reduce((a, b) => a + b, 0));
    const delays = film.routes.map((route) => route.steps.map((packed) => column(packed, route.count)));
    const used = film.routes.map(() => 0);
    let edge = 0;
    return held.at.map((at, n) => {
      const end = held.ends[n];
      const [src, sport, dst, dport, protocol, flow, way] = film.ends[end];
      const packet = {n, src, sport, dst, dport, protocol, flow, way};
      for (const name of HEADERS) packet[name] = held[name][n];
      const before = sums.get(end) ?? {};
      for (const name of ADDED_UP) before[name] = packet[name] += before[name] ?? 0;
      sums.set(end, before);
      packet.blocks = Array.from({length: packet.sacks}, () => {
        const left = packet.ack + edges[edge];
        edge += 2;
        return [left, left + edges[edge - 1]];
      });
      packet.kind = packet.payload > 0 ? "data" : packet.flags.includes("A") && !/[SFR]/.test(packet.flags) ? "ack" :
        "control";
      const route = held.route[n];
      let now = at;
      packet.nodes = film.routes[route].nodes.map(([device, kind, back], k) => {
        if (k) now += delays[route][k - 1][used[route]];
        const [host, peer] = film.devices[device];
        return {host, peer, kind, at: now, before: back ? k - back : -1};
      });
      used[route] += 1;
      packet.loss = null;
      return packet;
    });
  };

  const LOSS = ["packet", "at", "host", "peer", "place", "cause", "reason", "function", "found_by",
    "retransmitted", "recovered", "cwnd_before", "cwnd_after", "burst"];

  const lossesOf = (film, packets) => {
    const held = columns(film.losses, LOSS);
    return held.at.map((at, n) => {
      const loss = Object.fromEntries(LOSS.map((name) => [name, held[name][n]]));
      loss.packet = packets[loss.packet];
      loss.packet.loss = loss;
      return loss;
    });
  };

  // ---- Where a packet is between two sightings ----
  // A stretch is {t0, t1, packet, on: "link", from, to} or {..., on: "store", store}: a queue or a ring.

  const key = (kind, host, peer) => `${kind}:${host}>${peer}`;

  const between = (stores, a, b) => {
    if (a.kind === IN) return {on: "store", store: key("queue", b.host, b.peer)};
    if (b.kind === DEQUEUED) return {on: "store", store: key("queue", a.host, a.peer)};
    if (b.kind === STARTED) return {on: "store", store: key("tx", a.host, a.peer)};
    if (a.kind === CAME_IN) return {on: "store", store: key("rx", b.host, b.peer)};
    return {on: "link", from: a.host, to: a.peer};
  };

  // Where a loss is seen: in front of a store, at its head, on a link's first part, or in a host.
  const place = (loss, last) => {
    if (loss.place === "queue") {
      return {on: "store", store: key("queue", loss.host, loss.peer), head: loss.at - last.at > 1};
    }
    if (loss.place === "port") {
      const leaving = last.kind !== CAME_IN && /collision/.test(loss.cause);
      return leaving ? {on: "store", store: key("tx", loss.host, loss.peer), head: true}
        : {on: "store", store: key("rx", loss.peer, loss.host), head: false};
    }
    if (loss.place === "wire" || loss.place === "hook") return {on: "link", from: loss.host, to: loss.peer};
    return {on: "host", host: loss.host};
  };

  const stretches = (packets, end) => {
    const found = [];
    for (const packet of packets) {
      const leaves = new Set(packet.nodes.keys());
      packet.nodes.forEach((node) => {
        if (node.before < 0) return;
        leaves.delete(node.before);
        const from = packet.nodes[node.before];
        if (node.at > from.at) found.push({t0: from.at, t1: node.at, packet, ...between(null, from, node)});
      });
      const goal = (node) => node.kind === IN && packet.nodes.length > 1;
      const open = [...leaves].map((k) => packet.nodes[k]);
      const last = packet.nodes[packet.nodes.length - 1];
      packet.first = packet.nodes[0].at;
      packet.last = Math.max(last.at, packet.loss?.at ?? last.at);
      if (packet.loss) {
        const at = packet.loss.at;
        const where = place(packet.loss, last);
        packet.loss.where = where;
        if (at > last.at) {
          const travel = where.on === "store" && where.store.startsWith("rx") && last.kind !== CAME_IN;
          if (travel) found.push({t0: last.at, t1: at, packet, on: "link", from: last.host, to: last.peer});
          else if (where.on === "store") found.push({t0: last.at, t1: at, packet, on: "store", store: where.store});
        }
      } else if (open.length && !open.some(goal)) { // still under way when the run ended
        const stands = last.kind === OUT || last.kind === DEQUEUED || last.kind === STARTED
          ? {on: "link", from: last.host, to: last.peer, stands: true} : null;
        if (stands) found.push({t0: last.at, t1: end + 1, packet, ...stands});
      }
    }
    return found.sort((a, b) => a.t0 - b.t0);
  };

  // ---- Queues and rings ----

  const storesOf = (film, parts) => {
    const name = (n) => film.hosts[n].name;
    const known = new Map();
    for (const queue of film.queues) {
      const [host, peer] = [name(queue.from), name(queue.to)];
      const limit = queue.limit;
      known.set(key("queue", host, peer), {what: queue.kind, kind: "queue", host, peer, limit});
    }
    for (const port of film.ports) {
      const [host, peer] = [name(port.at), name(port.peer)];
      known.set(key("rx", host, peer), {what: "RX ring", kind: "rx", host, peer, limit: port.ring});
      known.set(key("tx", host, peer), {what: "TX ring", kind: "tx", host, peer, limit: null});
    }
    for (const [id, store] of known) Object.assign(store, {key: id, series: [], most: 0, lost: []});
    const changes = new Map([...known.keys()].map((id) => [id, []]));
    for (const part of parts) {
      if (part.on === "store") changes.get(part.store)?.push([part.t0, 1], [part.t1, -1]);
    }
    for (const [id, store] of known) {
      let held = 0;
      const [begin, end] = film.span;
      for (const [at, by] of changes.get(id).sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
        held += by;
        const last = store.series[store.series.length - 1];
        if (last && last[0] === at) last[1] = held;
        else store.series.push([at, held]);
        if (at >= begin && at <= end) store.most = Math.max(store.most, held);
      }
    }
    return known;
  };

  // ---- The whole ----

  // What happens to packets, in the order of time: they leave, arrive, or are lost.
  const eventsOf = (packets, begin, end) => {
    const events = [];
    for (const packet of packets) {
      const inside = (what, t, more) => { if (t >= begin && t <= end) events.push({at: t, packet, what, ...more}); };
      inside("leaves", packet.first, {host: packet.nodes[0].host});
      if (packet.loss) inside("lost", packet.loss.at, {loss: packet.loss});
      else {
        const last = packet.nodes[packet.nodes.length - 1];
        if (last.kind === IN && packet.nodes.length > 1) inside("arrives", last.at, {host: last.host});
      }
    }
    return events.sort((a, b) => a.at - b.at || a.packet.n - b.packet.n);
  };

  // The most packets that one direction of a link carries at once, by "from>to".
  const mostOf = (parts) => {
    const [most, lanes] = [new Map(), new Map()];
    for (const part of parts) {
      if (part.on !== "link") continue;
      const id = `${part.from}>${part.to}`;
      if (!lanes.has(id)) lanes.set(id, []);
      lanes.get(id).push([part.t0, 1], [part.t1, -1]);
    }
    for (const [id, changes] of lanes) {
      let now = 0;
      changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      for (const [, by] of changes) most.set(id, Math.max(most.get(id) ?? 0, now += by));
    }
    return most;
  };

  const read = (film) => {
    if (film.format !== FORMAT) {
      throw new Error(`it was recorded by another labkit (format ${film.format}, this page reads ${FORMAT}). ` +
        "Record the chapter again.");
    }
    const packets = packetsOf(film);
    const losses = lossesOf(film, packets);
    const [begin, end] = film.span;
    const parts = stretches(packets, end);
    const stores = storesOf(film, parts);
    for (const loss of losses) stores.get(loss.where.store)?.lost.push(loss.at);
    const width = Math.max(1, (end - begin) / BUCKETS);
    const bucket = (at) => Math.max(0, Math.min(BUCKETS - 1, Math.floor((at - begin) / width)));
    const buckets = Array.from({length: BUCKETS}, () => []);
    for (const part of parts) {
      if (part.t1 < begin || part.t0 > end) continue;
      for (let i = bucket(part.t0); i <= bucket(part.t1); i += 1) buckets[i].push(part);
    }
    const at = (t) => buckets[bucket(t)].filter((part) => part.t0 <= t && t < part.t1);
    // What a film shows before anybody plays it: the first instant with packets enough on links, or the most there are.
    const seen = (i) => at(begin + (i + 0.5) * width).filter((part) => part.on === "link").length;
    const most = Math.max(...buckets.map((_, i) => Math.min(POSTER, seen(i))));
    const poster = begin + (buckets.findIndex((_, i) => seen(i) >= most) + 0.5) * width;
    const full = Math.max(0, ...[...stores.values()].map((store) => store.most));
    const shown = [...stores.values()].filter((store) => store.lost.length || store.most >= Math.max(2, full / 5));
    const senders = film.senders.map((one) => P.sender(film, packets,
      {...one, cwnd: steps(one.cwnd), ssthresh: steps(one.ssthresh), state: steps(one.state)}));
    return {film, begin, end, poster, packets, losses: losses.filter((loss) => loss.at >= begin && loss.at <= end),
      stores, shown, senders, events: eventsOf(packets, begin, end), at, most: mostOf(parts)};
  };

  window.LabkitPlayer = Object.assign(P, {read});
})();
