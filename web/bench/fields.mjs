// The fields of the form: their names as labkit has them, their labels, what is typed into them. In the form every
// value is a text; an empty one is not given, and labkit's default holds.

/** @typedef {import("./units.mjs").Quantity} Quantity */
/**
 * unless: what labkit has if it is not given. more: behind a fold. choices: of a menu.
 * @typedef {{name: string, label: string, quantity: Quantity, hint?: string, unless?: string | number | boolean | null,
 *   more?: boolean, choices?: readonly (readonly [string, string])[]}} Field
 */

import { CONGESTION_CONTROLS } from "./facts.mjs";

/** @type {readonly Field[]} of one direction of a link, but for its loss and its queue */
export const WAY_FIELDS = [
  { name: "rate", label: "Rate", quantity: "rate", hint: "10mbit", unless: null },
  { name: "delay", label: "Delay", quantity: "time", hint: "10ms", unless: 0 },
  { name: "jitter", label: "Jitter", quantity: "time", hint: "2ms", unless: 0 },
  {
    name: "distribution",
    label: "Jitter’s distribution",
    quantity: "choice",
    unless: "uniform",
    more: true,
    choices: ["uniform", "normal", "pareto", "paretonormal"].map((name) => [name, name]),
  },
  share("delay_correlation", "Delay’s correlation"),
  share("loss_correlation", "Loss’s correlation"),
  share("corrupt", "Corrupted"),
  share("duplicate", "Duplicated"),
  share("reorder", "Sent ahead of the delayed"),
  share("reorder_correlation", "Reordering’s correlation"),
  {
    name: "wire_limit",
    label: "Packets on the wire, at most",
    quantity: "packets",
    hint: "1000",
    unless: null,
    more: true,
  },
];

/**
 * @param {string} name
 * @param {string} label
 * @returns {Field}
 */
function share(name, label) {
  return { name, label, quantity: "share", hint: "1%", unless: 0, more: true };
}

/** @typedef {{kind: string, label: string, python: string, fields: readonly Field[]}} LossKind */

const LOSS_BAD = /** @type {Field} */ ({
  name: "loss_bad",
  label: "Lost in the bad state",
  quantity: "share",
  hint: "100%",
  unless: 1,
});
const LOSS_GOOD = /** @type {Field} */ ({
  name: "loss_good",
  label: "Lost in the good state",
  quantity: "share",
  hint: "0%",
  unless: 0,
});

/** @type {readonly LossKind[]} how a wire loses packets */
export const LOSSES = [
  {
    kind: "random",
    label: "at random",
    python: "RandomLoss",
    fields: [{ name: "p", label: "Lost", quantity: "share", hint: "1%" }],
  },
  {
    kind: "gilbert_elliott",
    label: "in bursts of packets (Gilbert–Elliott)",
    python: "GilbertElliott",
    fields: [
      { name: "p", label: "Good to bad, at a packet", quantity: "share", hint: "1%" },
      { name: "r", label: "Bad to good, at a packet", quantity: "share", hint: "25%" },
      LOSS_BAD,
      LOSS_GOOD,
    ],
  },
  {
    kind: "continuous_gilbert_elliott",
    label: "in bursts of time (Gilbert–Elliott)",
    python: "ContinuousGilbertElliott",
    fields: [
      { name: "good", label: "Good for, in the mean", quantity: "time", hint: "1s", unless: 1 },
      { name: "bad", label: "Bad for, in the mean", quantity: "time", hint: "50ms", unless: 0.05 },
      LOSS_BAD,
      LOSS_GOOD,
    ],
  },
  {
    kind: "every_nth",
    label: "every n-th packet",
    python: "EveryNth",
    fields: [{ name: "n", label: "n", quantity: "whole", hint: "100" }],
  },
  {
    kind: "drop_packets",
    label: "these packets",
    python: "DropPackets",
    fields: [{ name: "numbers", label: "Their numbers", quantity: "wholes", hint: "20, 21, 40" }],
  },
];

const SIZE = /** @type {Field} */ ({
  name: "size",
  label: "Size",
  quantity: "size",
  hint: "2MB",
  unless: null,
});
const DURATION = /** @type {Field} */ ({
  name: "duration",
  label: "Duration",
  quantity: "time",
  hint: "10s",
  unless: null,
});
const START = /** @type {Field} */ ({
  name: "start",
  label: "Start",
  quantity: "time",
  hint: "1s",
  unless: 0,
});
const NAME = /** @type {Field} */ ({
  name: "name",
  label: "Name",
  quantity: "text",
  unless: null,
  more: true,
});
/** @type {readonly Field[]} */
const BUFFERS = [
  {
    name: "sndbuf",
    label: "Send buffer",
    quantity: "size",
    hint: "256kB",
    unless: null,
    more: true,
  },
  {
    name: "rcvbuf",
    label: "Receive buffer",
    quantity: "size",
    hint: "256kB",
    unless: null,
    more: true,
  },
];

/** @typedef {{kind: string, label: string, fields: readonly Field[]}} FlowKind */

/** @type {readonly FlowKind[]} kinds of traffic that the form knows; labkit has more */
export const FLOWS = [
  {
    kind: "tcp",
    label: "TCP",
    fields: [
      {
        name: "cc",
        label: "Congestion control",
        quantity: "choice",
        unless: "cubic",
        choices: CONGESTION_CONTROLS.map((name) => [name, name]),
      },
      SIZE,
      DURATION,
      START,
      { name: "mss", label: "MSS, bytes", quantity: "whole", hint: "1448", unless: null, more: true },
      ...BUFFERS,
      {
        name: "nodelay",
        label: "Nagle’s algorithm",
        quantity: "flag",
        unless: false,
        more: true,
        choices: [
          ["", "on"],
          ["yes", "off"],
        ],
      },
      {
        name: "read_rate",
        label: "Receiver reads, at most",
        quantity: "rate",
        hint: "2mbit",
        unless: null,
        more: true,
      },
      NAME,
    ],
  },
  {
    kind: "udp",
    label: "UDP",
    fields: [
      { name: "rate", label: "Rate", quantity: "rate", hint: "2mbit", unless: null },
      SIZE,
      DURATION,
      START,
      {
        name: "packet",
        label: "Payload of a packet",
        quantity: "size",
        hint: "1472B",
        unless: 1472,
        more: true,
      },
      {
        name: "pattern",
        label: "Pattern",
        quantity: "choice",
        unless: "constant",
        more: true,
        choices: ["constant", "poisson"].map((name) => [name, name]),
      },
      ...BUFFERS,
      NAME,
    ],
  },
  {
    kind: "pings",
    label: "Pings",
    fields: [
      { name: "count", label: "How many", quantity: "whole", hint: "20" },
      { name: "every", label: "One every", quantity: "time", hint: "500ms", unless: 1 },
      START,
      { name: "size", label: "Payload, bytes", quantity: "whole", hint: "56", unless: 56, more: true },
      { name: "wait", label: "Wait for answers", quantity: "time", hint: "10s", unless: 10, more: true },
      NAME,
    ],
  },
];

/** @type {readonly Field[]} of the experiment itself */
export const RUN_FIELDS = [
  { name: "duration", label: "How long, at most", quantity: "time", hint: "10s", unless: null },
  { name: "seed", label: "Seed", quantity: "whole", hint: "1", unless: 1 },
  {
    name: "time_limit",
    label: "Give up after",
    quantity: "time",
    hint: "1h",
    unless: 3600,
    more: true,
  },
  {
    name: "sample_interval",
    label: "Sample each",
    quantity: "time",
    hint: "100ms",
    unless: 0.1,
    more: true,
  },
];

/**
 * @template {{kind: string}} Kind
 * @param {readonly Kind[]} kinds
 * @param {string} kind
 * @returns {Kind | undefined}
 */
export function ofKind(kinds, kind) {
  return kinds.find((one) => one.kind === kind);
}
