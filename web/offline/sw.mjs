// @ts-check
/* The site's service worker: what has been read, and what a page has asked to be kept, is there without a network. It
 * lies at the site's root as sw.js, where book/extensions/offline.py writes it with the digest of the site's listing:
 * another listing is another worker. The listing, offline.json, names each address with the digest of its content.
 *
 * Nobody is stuck on an old version: what may change (pages, modules) is asked for at the site first, and taken from
 * here if that fails. What never changes, because its address changes with it, is taken from here first. */

/** @typedef {{[address: string]: string}} Listing digests, by address relative to the site's root */

const LISTING = "offline.json?v=@LISTING@";
const WORKER = /** @type {any} */ (globalThis);
const ROOT = new URL("./", WORKER.location.href);
const PREFIX = `lost packets: site of ${ROOT.pathname} `;
const CACHE = `${PREFIX}1`; // another number when what is stored is stored otherwise
const DIGEST = "x-digest";
const KEPT_ALL = "kept-all"; // in the cache, under this address: the listing of which everything is kept

const FIXED = /[?&](?:v|digest)=|-[0-9a-f]{12,}\.(?:js|bin|svg)$|\/vega-[^/]*\.js$/;
// Kept by the laboratory, digests and all (pieces.mjs); but for what a browser loads as a module.
const LAB_PIECE = /\/_static\/lab\/(?:machine|python)\/[^/]*\.(?!mjs)/;
// Of the two forms of its kernel the one that this browser does not take (loader.mjs).
const HAS_STACKS = typeof WebAssembly === "object" && "Suspending" in WebAssembly;
const OTHER_FORM = HAS_STACKS ? /\/machine\/lab-/ : /\/machine\/(?:plain|own)-/;
const PAGE = /(?:\/|\.html)$/;

/** @param {string} address */
const isPage = (address) => PAGE.test(new URL(address).pathname);

/**
 * Under which address it is kept: a page without what is asked of it, and by its file's name.
 * @param {string} address
 */
function keyOf(address) {
  const url = new URL(address);
  url.hash = "";
  if (isPage(address)) url.search = "";
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  return url.href;
}

/** @param {Request} request */
const isOurs = (request) =>
  request.method === "GET" &&
  request.url.startsWith(ROOT.href) &&
  !request.headers.has("range") &&
  !LAB_PIECE.test(request.url) &&
  !request.url.startsWith(new URL("sw.js", ROOT).href);

/**
 * A copy of an answer that says of which content it is.
 * @param {Response} response
 * @param {string} digest
 */
async function marked(response, digest) {
  const headers = new Headers(response.headers);
  headers.set(DIGEST, digest);
  headers.delete("content-encoding"); // it is not encoded any more
  return new Response(await response.blob(), { headers });
}

/**
 * @param {Cache} cache
 * @param {string} key
 * @param {Response} response
 */
async function store(cache, key, response) {
  if (!response.ok || response.type !== "basic" || response.redirected) return;
  await cache.put(key, response).catch(() => {}); // no room: the site has it
}

/**
 * @param {any} event
 * @returns {Promise<Response>}
 */
async function answer(event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  const key = keyOf(request.url);
  const fixed = FIXED.test(request.url);
  const copy = fixed ? await cache.match(key) : undefined;
  if (copy) return copy;
  try {
    const asIs = fixed || isPage(request.url) || request.mode === "navigate";
    const sent = asIs ? request : new Request(request, { cache: "no-cache" });
    const response = await fetch(sent);
    event.waitUntil(store(cache, key, response.clone()));
    return response;
  } catch (error) {
    const old = await cache.match(key);
    if (old) return old;
    if (request.mode === "navigate") return nothing();
    throw error;
  }
}

/** What a reader sees of a page that is not here. */
function nothing() {
  const words = "This page has not been kept, and there is no network. Go back, or try again later.";
  return new Response(`<!doctype html><html lang="en"><title>No network</title><p>${words}</p></html>`, {
    status: 503,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}

/** @returns {Promise<string | undefined>} the listing of which everything is kept, this site's or an older one's */
async function keptOf() {
  const cache = await caches.open(CACHE);
  return (await cache.match(KEPT_ALL))?.text();
}

/**
 * Fetch everything that the listing names and that is not here; forget what it does not name.
 * @param {(done: number, of: number) => void} onKept told of each address
 * @returns {Promise<boolean>} whether it is all here
 */
async function keepAll(onKept) {
  const cache = await caches.open(CACHE);
  if ((await keptOf()) === LISTING) return true;
  const answered = await fetch(new URL(LISTING, ROOT), { cache: "no-cache" }).catch(() => null);
  if (!answered?.ok) return false;
  /** @type {Listing} */
  const listing = await answered.json();
  const digests = new Map(
    Object.entries(listing)
      .filter(([at]) => !OTHER_FORM.test(at))
      .map(([at, digest]) => [keyOf(new URL(at, ROOT).href), digest]),
  );
  let [whole, done] = [true, 0];
  for (const [key, digest] of digests) {
    whole = (await keepOne(cache, key, digest)) && whole;
    onKept(++done, digests.size);
  }
  for (const { url } of await cache.keys()) if (!digests.has(url)) await cache.delete(url);
  if (whole) await cache.put(KEPT_ALL, new Response(LISTING));
  return whole;
}

/**
 * @param {Cache} cache
 * @param {string} key
 * @param {string} digest
 */
async function keepOne(cache, key, digest) {
  const held = LAB_PIECE.test(key) ? await caches.match(key) : await cache.match(key);
  if (held && (FIXED.test(key) || held.headers.get(DIGEST) === digest)) return true;
  try {
    const request = new Request(key, { cache: FIXED.test(key) ? "default" : "no-cache", priority: "low" });
    const response = await fetch(request);
    if (!response.ok) return false;
    await cache.put(key, await marked(response, digest));
    return true;
  } catch {
    return false; // no network, or no room; the next page tries again
  }
}

/** @type {Promise<boolean> | null} */
let keeping = null;
/** The pages that have asked for it. @type {Set<any>} */
const asking = new Set();

/** @param {any} event */
async function keep({ source }) {
  const progress = (/** @type {number} */ done, /** @type {number} */ of) => {
    for (const page of asking) page.postMessage({ type: "keeping", done, of });
  };
  asking.add(source);
  keeping ??= keepAll(progress).finally(() => (keeping = null));
  const isWhole = await keeping;
  asking.delete(source);
  source.postMessage({ type: isWhole ? "kept" : "part" });
}

/**
 * Whether a reader has asked for the whole book. An older one of it is brought up to date, if `refresh` says so.
 * @param {any} event
 */
async function tell(event) {
  const kept = await keptOf();
  if (kept && kept !== LISTING && event.data.refresh) await keep(event);
  else event.source.postMessage({ type: kept ? "kept" : "none" });
}

/** @param {any} event */
async function forget({ source }) {
  await caches.delete(CACHE);
  source.postMessage({ type: "none" });
}

/** What pages ask. @type {{[type: string]: (event: any) => Promise<void>}} */
const ANSWERS = { keep, tell, forget };

/** Caches of workers that stored otherwise. */
async function forgetOthers() {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
}

WORKER.addEventListener("install", () => WORKER.skipWaiting());
WORKER.addEventListener("activate", (/** @type {any} */ event) =>
  event.waitUntil(Promise.all([forgetOthers(), WORKER.clients.claim()])),
);
WORKER.addEventListener("fetch", (/** @type {any} */ event) => {
  if (isOurs(event.request)) event.respondWith(answer(event));
});
WORKER.addEventListener("message", (/** @type {any} */ event) => {
  event.waitUntil(ANSWERS[event.data.type](event));
});
