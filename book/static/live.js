// "Run it here" in the recorded widgets of a site that carries the laboratory. Nothing of it is fetched before a click:
// what then happens is in web/widgets, below the folder that this script's data-lab names.
// A figure's data-refused says why its experiments cannot be run in a page.

(() => {
  "use strict";

  const script = document.currentScript;
  if (!script.dataset.lab || !window.LostPackets) return;
  const starter = new URL(`${script.dataset.lab}/web/widgets/start.mjs`, script.src);

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // Why this browser or address cannot, as far as it is known without fetching anything.
  const lacking = () => {
    if (location.protocol === "file:") {
      return "To run it here, open these pages over http: a browser starts no laboratory from a file.";
    }
    const can = typeof WebAssembly === "object" && typeof Worker === "function" &&
      typeof DecompressionStream === "function" && "noModule" in HTMLScriptElement.prototype;
    return can ? null : "This browser cannot run it here: it lacks WebAssembly, or workers that load modules.";
  };

  // kind: "explore" or "predict". handle: what the widget's own script lets a live run do; its `place` is where the
  // button stands.
  const offer = (kind, figure, handle) => {
    const why = figure.dataset.refused ? `It is not run here: ${figure.dataset.refused}.` : lacking();
    if (why) {
      handle.place.append(element("p", {className: "lp-note", textContent: why}));
      return;
    }
    const button = element("button", {type: "button", className: "lp-button", textContent: "Run it here"});
    const said = element("p", {className: "lp-note"});
    said.setAttribute("role", "status");
    handle.place.append(button, said);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const {start} = await import(starter);
        await start(kind, figure, handle, {button, said});
      } catch (error) {
        said.textContent = `It cannot be run here: ${error.message ?? error}`;
        button.disabled = false;
      }
    });
  };

  LostPackets.offer = offer;
})();
