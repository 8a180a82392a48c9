// The site's service worker, which has what was read without a network, too; and the button that has it keep the whole
// book. Nothing is fetched for later unless a reader asks. Not over plain http: or from a file, where browsers have no such
// worker: the button stays hidden.

(() => {
  "use strict";
  if (!navigator.serviceWorker || !/^https?:$/.test(location.protocol)) return;
  const worker = new URL("../sw.js", document.currentScript.src);
  const box = document.querySelector(".lp-offline");
  const button = box.querySelector("button");
  const said = box.querySelector("[role=status]");
  const KEEP = button.textContent;
  const FACES = {
    none: { label: KEEP, asks: "keep", says: () => "" },
    keeping: { label: KEEP, asks: null, says: ({ done, of }) => `${done} of ${of} files are here.` },
    part: {
      label: "Try again",
      asks: "keep",
      says: () => "Some files did not arrive, or there was no room for them. What has arrived is kept.",
    },
    kept: { label: "Remove it from this device", asks: "forget", says: () => "The whole book is on this device." },
  };
  let face = FACES.none;

  const ask = async (type) => {
    const { active } = await navigator.serviceWorker.ready;
    const { saveData, type: network } = navigator.connection ?? {};
    active.postMessage({ type, refresh: !saveData && network !== "cellular" });
  };
  const show = (data) => {
    if (!(data.type in FACES)) return;
    face = FACES[data.type];
    button.textContent = face.label;
    button.disabled = !face.asks;
    said.textContent = face.says(data);
    document.documentElement.dataset.offline = data.type;
  };
  navigator.serviceWorker.addEventListener("message", ({ data }) => show(data));
  button.addEventListener("click", () => ask(face.asks));

  const begin = async () => {
    await navigator.serviceWorker.register(worker, { updateViaCache: "none" });
    await ask("tell");
    box.hidden = false;
  };
  addEventListener("load", () => begin().catch((error) => console.warn("nothing is kept for later:", error)));
})();
