// Forms as a restless reader fills them in, by a seed; what is typed is right, so that labkit takes it.

import { CONGESTION_CONTROLS, QUEUES } from "../../../web/bench/facts.mjs";
import { FLOWS, LOSSES } from "../../../web/bench/fields.mjs";
import { flow, newForm, noQueue, rolesOf, withShape } from "../../../web/bench/form.mjs";
import { tries } from "../../../web/bench/recognised.mjs";
import { SHAPES } from "../../../web/bench/shapes.mjs";

/** @typedef {import("../../../web/bench/form.mjs").Form} Form */
/** @typedef {import("../../../web/bench/form.mjs").LinkForm} LinkForm */
/** @typedef {import("../../../web/bench/form.mjs").WayForm} WayForm */

/** Numbers from 0 to 1 (mulberry32). */
export class Chance {
  /** @param {number} seed */
  constructor(seed) {
    this.state = seed >>> 0;
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** @param {number} p */
  yes(p) {
    return this.next() < p;
  }

  /** @template T @param {readonly T[]} things @returns {T} */
  of(things) {
    return things[Math.floor(this.next() * things.length)];
  }
}

const OPTIONS = /** @type {Record<string, string[]>} */ ({
  red: ["min=15kB, max=45kB", "ecn, probability=0.1, avpkt=1000", "adaptive"],
  codel: ["target=5ms, interval=100ms", "ecn"],
  fq_codel: ["target=3ms, quantum=300, ecn=false", "flows=64"],
  pie: ["target=15ms, tupdate=15ms", "ecn"],
  fq: ["maxrate=5mbit", "pacing=false"],
  cake: ["rtt=50ms, diffserv=besteffort", "ack_filter"],
  sfq: ["perturb=10, quantum=1514B"],
});
const LOSS = /** @type {Record<string, Record<string, string>[]>} */ ({
  random: [{ p: "1%" }, { p: "0.0137" }, { p: "12.5%" }],
  gilbert_elliott: [
    { p: "1%", r: "25%" },
    { p: "0.5%", r: "0.1", loss_bad: "80%", loss_good: "0.1%" },
  ],
  continuous_gilbert_elliott: [{ good: "2s", bad: "100ms" }, { loss_bad: "50%" }],
  every_nth: [{ n: "100" }, { n: "7" }],
  drop_packets: [{ numbers: "20" }, { numbers: "3, 1 40,41" }],
});

/**
 * @param {Chance} chance
 * @param {WayForm} way
 */
function changeWay(chance, way) {
  if (chance.yes(0.1)) {
    way.texts.rate = "";
    way.queue = noQueue();
  } else if (chance.yes(0.5))
    way.texts.rate = chance.of(["2mbit", "0.5gbit", "1.25mbit", "64kbit", "10Mbit/s"]);
  if (chance.yes(0.4)) way.texts.delay = chance.of(["10ms", "0.25s", "2.5 ms", "0", "300us"]);
  if (Number.parseFloat(way.texts.delay || "0") > 0 && chance.yes(0.3)) {
    way.texts.jitter = chance.of(["100us", "0.2ms"]);
    way.texts.distribution = chance.of(["", "uniform", "normal", "pareto"]);
    if (chance.yes(0.3)) way.texts.reorder = "5%";
  }
  if (Number.parseFloat(way.texts.delay || "0") === 0)
    for (const name of ["jitter", "reorder"]) delete way.texts[name];
  for (const name of ["corrupt", "duplicate"])
    if (chance.yes(0.1)) way.texts[name] = chance.of(["0.1%", "0.01"]);
  if (chance.yes(0.1)) way.texts.wire_limit = "500";
  if (way.texts.rate && chance.yes(0.5)) {
    const kind = chance.of(Object.keys(QUEUES));
    const { limit, required } = QUEUES[kind];
    const length = limit === "bytes" ? chance.of(["60kB", "1.5MB"]) : chance.of(["50", "120p"]);
    const options = chance.yes(0.5) ? chance.of(OPTIONS[kind] ?? [""]) : "";
    way.queue = { kind, limit: limit && (required || chance.yes(0.5)) ? length : "", options };
  }
  if (chance.yes(0.3)) {
    const kind = chance.of(LOSSES).kind;
    way.loss = { kind, texts: { ...chance.of(LOSS[kind]) } };
  }
}

/**
 * @param {Chance} chance
 * @param {LinkForm} link
 */
function changeLink(chance, link) {
  for (const way of [link.forward, link.backward]) if (chance.yes(0.3)) changeWay(chance, way);
  if (chance.yes(0.1)) link.mtu = "1400";
}

/**
 * @param {Chance} chance
 * @param {readonly string[]} hosts
 */
function someFlow(chance, hosts) {
  const kind = chance.of(FLOWS).kind;
  const src = chance.of(hosts);
  const made = flow(src, chance.of(hosts.filter((name) => name !== src)), kind);
  const { texts } = made;
  if (kind === "tcp") texts.cc = chance.of(CONGESTION_CONTROLS);
  if (kind === "tcp" && chance.yes(0.2)) texts.mss = "1000";
  if (kind === "tcp" && chance.yes(0.1)) texts.nodelay = "yes";
  if (kind !== "pings" && chance.yes(0.4)) texts.size = chance.of(["25kB", "1.5 MB", "64KiB"]);
  if (chance.yes(0.5)) texts.start = chance.of(["1s", "0", "250ms"]);
  if (chance.yes(0.1)) texts.name = `“${kind}” ${Math.floor(chance.next() * 1e9)} <b>\\`;
  if (kind === "udp" && chance.yes(0.3)) texts.pattern = "poisson";
  return made;
}

/**
 * @param {number} seed
 * @returns {Form}
 */
export function randomForm(seed) {
  const chance = new Chance(seed);
  const shape = chance.of(SHAPES);
  const form = withShape(
    newForm(),
    shape.kind,
    chance.of(tries(shape)).map((n) => Math.min(n, 3)),
  );
  const roles = rolesOf(form);
  const alike = chance.of([["bottleneck"], ["bottleneck", "access"], ["link"], []]);
  for (const role of alike) {
    const model = form.links[roles.indexOf(/** @type {any} */ (role))];
    if (model === undefined) continue;
    if (role === "access")
      model.forward.texts.rate = model.backward.texts.rate = chance.of(["1gbit", "50mbit"]);
    else for (const way of [model.forward, model.backward]) changeWay(chance, way);
    form.links = form.links.map((link, i) =>
      roles[i] === role ? { ...structuredClone(model), a: link.a, b: link.b } : link,
    );
  }
  if (alike.length === 0) for (const link of form.links) changeLink(chance, link);
  const hosts = form.hosts;
  const count = Math.floor(chance.next() * 4);
  form.flows = Array.from({ length: count }, () => someFlow(chance, hosts));
  if (count === 0 || chance.yes(0.7)) form.run.duration = chance.of(["3s", "0.5min", "12.25s"]);
  form.run.seed = String(Math.floor(chance.next() * 1000));
  if (chance.yes(0.2)) form.run.sample_interval = "10ms";
  if (chance.yes(0.2)) form.sysctls = "net.ipv4.tcp_sack=0\nnet.ipv4.tcp_ecn=1";
  if (chance.yes(0.3)) form.probes = ["tcp_info"];
  if (chance.yes(0.3)) form.capture = [];
  return form;
}
