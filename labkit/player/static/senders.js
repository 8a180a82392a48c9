// A TCP sender's segments over time: sent, lost, SACKed, acknowledged; and what is outstanding when.
// window.LabkitPlayer collects the parts of the player; player.js puts them together.

(() => {
  "use strict";

  const kinds = {OUT: 0, IN: 1, DEQUEUED: 2, STARTED: 3, CAME_IN: 4}; // of a sighting: labkit/player/film.py
  const {IN} = kinds;

  // What was sent, in order, as it is looked up: from(seq), within(left, right, f).
  // A segment is {left, right, sent: [times], lost: [times], sacked, acked}: when each was so first.
  const segmentsOf = (data) => {
    const segments = [];
    for (const packet of data.filter(({transmission}) => transmission === 1)) {
      segments.push({left: packet.seq, right: packet.seq + packet.payload, sent: [], lost: [], sacked: Infinity,
        acked: Infinity, packet});
    }
    segments.sort((a, b) => a.left - b.left);
    const from = (seq) => { // the first segment that ends behind seq
      let [low, high] = [0, segments.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (segments[middle].right > seq) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    const within = (left, right, f) => {
      for (let i = from(left); i < segments.length && segments[i].left < right; i += 1) f(segments[i]);
    };
    return {segments, from, within};
  };

  const sender = (film, packets, told) => {
    const flow = film.flows.findIndex((one) => one.name === told.flow);
    const mine = packets.filter((packet) => packet.flow === flow);
    const way = told.way ?? "data";
    const data = mine.filter((packet) => packet.way === way && packet.payload > 0);
    const {segments, from, within} = segmentsOf(data);
    for (const packet of data) {
      within(packet.seq, packet.seq + packet.payload, (segment) => {
        segment.sent.push(packet.first);
        if (packet.loss) segment.lost.push(packet.loss.at);
      });
    }
    for (const [left, right] of told.sacked) {
      within(left, right, (segment) => { if (segment.left >= left && segment.right <= right) segment.sacked = -Infinity; });
    }
    const una = [[-Infinity, told.una]];
    const home = data[0]?.nodes[0].host;
    const acks = mine.filter((packet) => packet.way !== way).map((packet) => {
      const came = packet.nodes.find((node) => node.kind === IN && node.host === home);
      return came && {at: came.at, packet};
    }).filter(Boolean).sort((a, b) => a.at - b.at);
    for (const {at, packet} of acks) {
      const known = una[una.length - 1][1];
      if (packet.ack > known) {
        una.push([at, packet.ack]);
        within(known, packet.ack, (segment) => {
          if (segment.right <= packet.ack) segment.acked = Math.min(segment.acked, at);
        });
      }
      for (const [left, right] of packet.blocks) {
        within(left, right, (segment) => {
          if (segment.left >= left && segment.right <= right) segment.sacked = Math.min(segment.sacked, at);
        });
      }
    }
    return {flow, name: told.flow, segments, from, una, cwnd: told.cwnd, ssthresh: told.ssthresh, state: told.state};
  };

  // The value of [[time, value], ...] that holds at a time; undefined before the first.
  const held = (series, at) => {
    let [low, high] = [0, series.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (series[middle][0] <= at) low = middle + 1;
      else high = middle;
    }
    return series[low - 1]?.[1];
  };

  // What a sender has outstanding at a time: each segment with how it is.
  const strip = (sender, at) => {
    const una = held(sender.una, at) ?? 0;
    const found = [];
    for (let i = sender.from(una); i < sender.segments.length; i += 1) {
      const segment = sender.segments[i];
      const times = segment.sent.filter((t) => t <= at).length;
      if (!times) continue;
      const state = segment.acked <= at ? "acked" : segment.sacked <= at ? "sacked"
        : segment.lost.filter((t) => t <= at).length >= times ? "lost" : times > 1 ? "again" : "sent";
      if (state !== "acked") found.push({segment, state});
    }
    return {una, segments: found, cwnd: held(sender.cwnd, at), ssthresh: held(sender.ssthresh, at),
      state: held(sender.state, at) ?? "Open"};
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer ?? {}, {sender, held, strip, kinds});
})();
