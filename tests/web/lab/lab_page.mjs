// @ts-check
/* The page of the tests of the laboratory: what a test asks of it by name, as `ask("name", ...)`. */

import { openLab, unsupported } from "../../../web/lab/lab.mjs";
import { sha256 } from "../../../web/lab/sha256.mjs";
import { fromHex } from "../../../web/programs/bytes.mjs";

/** @typedef {import("../../../web/lab/lab.mjs").LabError} LabError */

/** @param {string} name */
async function program(name) {
  const { program: digits, memory_mb } = await (await fetch(`programs/${name}.json`)).json();
  return { program: fromHex(digits), memory_mb };
}

const told = (/** @type {unknown} */ error) => {
  const { kind, message } = /** @type {LabError} */ (error);
  return { kind: kind ?? "no LabError", message };
};

const questions = {
  /** Open it: what was said while it was fetched, how long it took. */
  async open() {
    /** @type {number[][]} */
    const fetched = [];
    const start = performance.now();
    try {
      const lab = await openLab({ onFetch: (got, of) => fetched.push([got, of]) });
      return { kernel: lab.kernel, fetched, seconds: (performance.now() - start) / 1000 };
    } catch (error) {
      return { ...told(error), fetched };
    }
  },

  /** Run these, one after the other: digests.
   * @param {string[]} names */
  async digests(...names) {
    const lab = await openLab();
    const found = [];
    for (const name of names) found.push(await sha256((await lab.run(await program(name))).raw));
    return found;
  },

  /** One run: how it ended, how long it took, the virtual times that were told.
   * @param {string} name
   * @param {import("../../../web/lab/lab.mjs").Options} options */
  async run(name, options = {}) {
    const lab = await openLab();
    /** @type {number[]} */
    const times = [];
    try {
      const { reason, wall_s, raw } = await lab.run(await program(name), {
        ...options,
        onTime: (seconds) => times.push(seconds),
      });
      return { reason, wall_s, bytes: raw.length, times };
    } catch (error) {
      return { ...told(error), times };
    }
  },

  /** Cancel a run after so long: how many ms until it is over, and when the next one is done.
   * @param {string} name
   * @param {number} after_ms */
  async cancel(name, after_ms) {
    const lab = await openLab();
    const [first, next] = [await program(name), await program("short")];
    const stop = new AbortController();
    let at = 0;
    setTimeout(() => {
      at = performance.now();
      stop.abort();
    }, after_ms);
    const error = await lab.run(first, { signal: stop.signal }).then(() => null, told);
    const ended_ms = performance.now() - at;
    const { raw, wall_s } = await lab.run(next);
    return { error, ended_ms, next_ms: performance.now() - at, next_s: wall_s, digest: await sha256(raw) };
  },

  /** More memory than any browser gives.
   * @param {number} memory_mb */
  async memory(memory_mb) {
    const lab = await openLab();
    const { program: bytes } = await program("short");
    return lab.run({ program: bytes, memory_mb }).then(() => null, told);
  },

  /** At once: digests.
   * @param {string[]} names */
  async together(...names) {
    const lab = await openLab();
    const runs = names.map(async (name) => sha256((await lab.run(await program(name))).raw));
    return Promise.all(runs);
  },

  /** Close it, then see what a run says, and whether another can be opened. */
  async close() {
    const lab = await openLab();
    const short = await program("short");
    const running = lab.run(short).then(() => null, told);
    lab.close();
    const [cut, late] = [await running, await lab.run(short).then(() => null, told)];
    const another = await openLab();
    return { cut, late, another: another !== lab, digest: await sha256((await another.run(short)).raw) };
  },

  async shut() {
    (await openLab()).close();
  },

  /** So many short runs.
   * @param {number} count */
  async many(count) {
    const lab = await openLab();
    const short = await program("short");
    for (let i = 0; i < count; i++) await lab.run(short);
  },

  /** The longest the page could not answer while a laboratory was opened and a program run, and how long it took.
   * @param {string} name */
  async pause(name) {
    const one = await program(name);
    const from = performance.now();
    let [longest, last, done] = [0, from, false];
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (!done) setTimeout(() => channel.port2.postMessage(null), 1);
    };
    channel.port2.postMessage(null);
    await (await openLab()).run(one);
    done = true;
    channel.port1.close();
    return { longest_ms: longest, took_ms: performance.now() - from };
  },

  unsupported: async () => unsupported(),

  /** What the browser keeps of the laboratory: bytes by the file's stem. With `damage`, a byte of each is changed, or
   * an entry added of a piece that the site does not have.
   * @param {"damage" | "older"} [harm] */
  async kept(harm) {
    /** @type {Record<string, number>} */
    const found = {};
    for (const name of (await caches.keys()).filter((one) => one.includes("lab of"))) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const bytes = new Uint8Array(
          (await (await cache.match(request))?.arrayBuffer()) ?? new ArrayBuffer(0),
        );
        found[request.url.replace(/.*\/([a-z0-9]+)-.*/, "$1")] = bytes.length;
        bytes[2000] ^= 1;
        if (harm === "damage") await cache.put(request, new Response(bytes));
      }
      if (harm === "older") await cache.put("_static/lab/machine/older-0.bin", new Response("old"));
    }
    return found;
  },
};

Object.assign(globalThis, {
  ask: (/** @type {keyof typeof questions} */ name, /** @type {any[]} */ ...rest) =>
    /** @type {any} */ (questions)[name](...rest),
});
document.documentElement.dataset.loaded = "";
