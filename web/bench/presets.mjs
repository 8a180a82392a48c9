// Experiments to begin with, each from a chapter, shortened to what a tab runs in some seconds.

import { PROBES } from "./form.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */
/** @typedef {{title: string, what: string, chapter: string, page: string, experiment: JsonObject}} Preset */

/**
 * @param {JsonObject} given
 * @returns {JsonObject}
 */
function experiment(given) {
  return { version: 1, seed: 1, probes: [...PROBES], ...given };
}

const NEAR = { rate: "100mbit", queue: "1000p" };

/** @type {readonly Preset[]} */
export const PRESETS = [
  {
    title: "One flow, one loss in a hundred",
    what: "Reno over a line that loses 1 % of its packets. Then try CUBIC, or BBR.",
    chapter: "Chapter 1",
    page: "01-a-network-in-a-notebook",
    experiment: experiment({
      topology: {
        hosts: ["left", "router", "right"],
        links: [
          { a: "left", b: "router", ...NEAR },
          { a: "router", b: "right", rate: "10mbit", delay: "10ms", queue: "100p", forward: { loss: "1%" } },
        ],
      },
      flows: [{ src: "left", dst: "right", cc: "reno", duration: "10s" }],
      capture: ["left", "right"],
    }),
  },
  {
    title: "The sawtooth",
    what: "Reno fills a queue of one bandwidth-delay product, loses, and begins again. Nothing else loses packets.",
    chapter: "Chapter 3",
    page: "03-slow-start-and-the-sawtooth",
    experiment: experiment({
      topology: {
        hosts: ["left", "right"],
        links: [{ a: "left", b: "right", rate: "10mbit", delay: "20ms", queue: "33p" }],
      },
      flows: [{ src: "left", dst: "right", cc: "reno", duration: "20s" }],
      capture: ["left", "right"],
    }),
  },
  {
    title: "A deep queue, and pings through it",
    what: "CUBIC fills 300 packets, and each ping waits behind them. Then choose fq_codel or pie for the queue.",
    chapter: "Chapter 8",
    page: "08-full-queues-and-aqm",
    experiment: experiment({
      topology: {
        hosts: ["left", "router", "right"],
        links: [
          { a: "left", b: "router", ...NEAR },
          { a: "router", b: "right", rate: "10mbit", delay: "10ms", queue: "300p" },
        ],
      },
      flows: [
        { src: "left", dst: "right", cc: "cubic", start: "1s", duration: "10s" },
        { kind: "pings", src: "left", dst: "right", count: 24, every: "500ms", wait: "1s" },
      ],
      capture: ["left", "right"],
    }),
  },
  {
    title: "Bursts",
    what: "The same share of packets is lost, but in bursts. How often does the sender wait for its timer?",
    chapter: "Chapter 10",
    page: "10-random-and-bursty-loss",
    experiment: experiment({
      topology: {
        hosts: ["left", "right"],
        links: [
          {
            a: "left",
            b: "right",
            rate: "10mbit",
            delay: "10ms",
            queue: "100p",
            forward: { loss: { kind: "gilbert_elliott", p: "0.2%", r: "20%" } },
          },
        ],
      },
      flows: [{ src: "left", dst: "right", cc: "reno", duration: "10s" }],
      capture: ["left", "right"],
    }),
  },
  {
    title: "Near and far",
    what: "Two uploads share a queue: one with a round trip of 10 ms, one with 100 ms. Who gets how much?",
    chapter: "Chapter 21",
    page: "21-crowds-and-remedies",
    experiment: experiment({
      topology: {
        hosts: ["near", "far", "router", "right"],
        links: [
          { a: "near", b: "router", delay: "4ms", ...NEAR },
          { a: "far", b: "router", delay: "49ms", ...NEAR },
          { a: "router", b: "right", delay: "1ms", forward: { rate: "10mbit", queue: "83p" } },
        ],
      },
      flows: [
        { src: "near", dst: "right", cc: "reno", duration: "15s", name: "near" },
        { src: "far", dst: "right", cc: "reno", duration: "15s", name: "far" },
      ],
      capture: ["near", "far", "right"],
    }),
  },
  {
    title: "BBR beside CUBIC",
    what: "One pays attention to delay, the other fills the queue. Make the queue ten times as long, or as short.",
    chapter: "Chapter 19",
    page: "19-bbr",
    experiment: experiment({
      topology: {
        hosts: ["left1", "left2", "r1", "r2", "right1", "right2"],
        links: [
          { a: "left1", b: "r1", ...NEAR },
          { a: "left2", b: "r1", ...NEAR },
          { a: "r1", b: "r2", rate: "10mbit", delay: "20ms", queue: "66p" },
          { a: "r2", b: "right1", ...NEAR },
          { a: "r2", b: "right2", ...NEAR },
        ],
      },
      flows: [
        { src: "left1", dst: "right1", cc: "bbr", duration: "15s", name: "bbr" },
        { src: "left2", dst: "right2", cc: "cubic", duration: "15s", name: "cubic" },
      ],
      capture: ["left1", "left2"],
    }),
  },
];
