// A packet in words: its headers, and its life from the captures and the ledger.

(() => {
  "use strict";

  const {kinds: {OUT, IN, DEQUEUED, STARTED, CAME_IN}} = window.LabkitPlayer;
  const FLAGS = {F: "FIN", S: "SYN", R: "RST", P: "PSH", A: "ACK", U: "URG", E: "ECE", C: "CWR", N: "NS"};
  const FOUND = {sack: "the loss was found by SACK", rack: "the loss was found by RACK's timer", tlp: "a tail loss probe",
    rto: "after a timeout", dupack: "after duplicate ACKs", "partial ack": "after a partial ACK",
    "syn timeout": "after a timeout"};

  const whole = (value) => value.toLocaleString("en-US");
  const seconds = (us) => {
    const text = (us / 1e6).toFixed(6);
    return `${text.slice(0, -3)}\u2009${text.slice(-3)} s`;
  };
  const span = (us) => us < 1000 ? `${us} µs` : us < 1e6 ? `${(us / 1000).toFixed(3)} ms` : `${(us / 1e6).toFixed(6)} s`;

  const title = (packet) => {
    if (packet.payload > 0) {
      const again = packet.transmission > 1 ? `, sent for the ${ordinal(packet.transmission)} time` : "";
      return packet.protocol === "tcp" ? `Data, ${whole(packet.seq)} to ${whole(packet.seq + packet.payload)}${again}`
        : `${packet.protocol.toUpperCase()}, ${whole(packet.payload)} bytes`;
    }
    if (/[SFR]/.test(packet.flags)) return flags(packet);
    return packet.protocol === "tcp" ? `ACK ${whole(packet.ack)}` : packet.protocol.toUpperCase();
  };

  const ordinal = (n) => n === 2 ? "second" : n === 3 ? "third" : `${n}th`;
  const flags = (packet) => [...packet.flags].map((letter) => FLAGS[letter] ?? letter).join(" ");

  const headers = (model, packet) => {
    const tcp = packet.protocol === "tcp";
    const port = (address, number) => number >= 0 ? `${address}:${number}` : address;
    const rows = [["From, to", `${port(packet.src, packet.sport)} → ${port(packet.dst, packet.dport)}`]];
    if (packet.flow >= 0) rows.push(["Flow", `${model.film.flows[packet.flow].name}${packet.way ? `, ${packet.way}` : ""}`]);
    rows.push(["Protocol", `${packet.protocol || "not IPv4"}, IP identification ${packet.ip_id}`]);
    if (tcp) {
      rows.push(["Sequence", `${whole(packet.seq)}${packet.payload ? ` to ${whole(packet.seq + packet.payload)}` : ""}`]);
      if (packet.flags.includes("A")) rows.push(["Acknowledges", whole(packet.ack)]);
      rows.push(["Flags", flags(packet) || "none"], ["Window", `${whole(packet.window)} bytes`]);
      for (const [left, right] of packet.blocks) rows.push(["SACK", `${whole(left)} to ${whole(right)}`]);
      if (packet.tsval >= 0) rows.push(["Timestamps", `${packet.tsval}, echo ${packet.tsecr}`]);
    }
    rows.push(["Size", `${whole(packet.payload)} bytes of data, frame of ${whole(packet.length)} bytes`]);
    if (tcp && packet.payload) rows.push(["Transmission", `${packet.transmission}`]);
    return rows;
  };

  const known = (model, kind, host, peer) => model.stores.get(`${kind}:${host}>${peer}`);

  const what = (model, packet, node) => {
    const before = node.before >= 0 ? packet.nodes[node.before] : null;
    const took = before ? node.at - before.at : 0;
    if (node.kind === IN) {
      if (before?.kind === CAME_IN) return `${node.host} took it out of the ring after ${span(took)}`;
      return `${node.host} had it${before && took > 1 ? `, after ${span(took)} on the way` : ""}`;
    }
    if (node.kind === DEQUEUED) {
      return `it left the queue ${node.host} → ${node.peer}${took > 1 ? `, after ${span(took)}` : " at once"}`;
    }
    if (node.kind === STARTED) return `its first bit went onto the cable${took ? `, after ${span(took)} in the TX ring` : ""}`;
    if (node.kind === CAME_IN) return `its last bit was at the port of ${node.peer}`;
    if (!before) return `${node.host} sent it`;
    const waited = known(model, "queue", node.host, node.peer) && took > 1;
    return `${node.host} sent it on to ${node.peer}${waited ? `, after ${span(took)} in the queue` : ""}`;
  };

  // [[time in µs, words, is a loss], ...]
  const life = (model, packet) => {
    const rows = packet.nodes.map((node) => [node.at, what(model, packet, node), false]);
    const {loss} = packet;
    if (loss) {
      const where = loss.peer ? `on the way from ${loss.host} to ${loss.peer}` : `at ${loss.host}`;
      rows.push([loss.at, `lost ${where}: ${loss.cause}. Kernel's reason: ${loss.reason}, freed by ${loss.function}`, true]);
      if (loss.retransmitted !== null) {
        const found = FOUND[loss.found_by];
        rows.push([loss.retransmitted, `its data was sent again${found ? `: ${found}` : ""}`, false]);
      }
      if (loss.recovered !== null) rows.push([loss.recovered, "the sender knew that its data had arrived", false]);
      if (loss.cwnd_before !== null && loss.cwnd_after !== null) {
        const windows = `cwnd was ${loss.cwnd_before} before, and ${loss.cwnd_after} when all was mended`;
        rows.push([loss.recovered ?? loss.at, windows, false]);
      }
    }
    return rows.sort((a, b) => a[0] - b[0]);
  };

  const event = (model, {at, packet, what: kind, host, loss}) => {
    const flow = packet.flow >= 0 && model.film.flows.length > 1 ? ` (${model.film.flows[packet.flow].name})` : "";
    const name = `${title(packet)}${flow}`;
    if (kind === "leaves") return `${seconds(at)}: ${host} sends ${name}`;
    if (kind === "arrives") return `${seconds(at)}: ${name} arrives at ${host}`;
    const where = loss.peer ? `on the way from ${loss.host} to ${loss.peer}` : `at ${loss.host}`;
    return `${seconds(at)}: lost ${where}: ${name}. ${loss.cause}, ${loss.reason}`;
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {story: {title, headers, life, event, seconds, whole}});
})();
