// Has the site's service worker keep the book, so that it is there without a network. Not over plain http: or from a
// file, where browsers have none; and not for a reader who has asked the browser to save data: what is read is kept then.

(() => {
  "use strict";
  if (!navigator.serviceWorker || !/^https?:$/.test(location.protocol)) return;
  const worker = new URL("../sw.js", document.currentScript.src);

  navigator.serviceWorker.addEventListener("message", ({data}) => {
    if (data.type === "kept") document.documentElement.dataset.offline = "kept";
  });

  const keep = async () => {
    await navigator.serviceWorker.register(worker, {updateViaCache: "none"});
    const {active} = await navigator.serviceWorker.ready;
    if (!navigator.connection?.saveData) active.postMessage({type: "keep"});
  };
  const idle = window.requestIdleCallback ?? ((f) => setTimeout(f, 1000));
  addEventListener("load", () => idle(() => keep().catch((error) => console.warn("not kept for later:", error))));
})();
