// What every page does: on paper it is light, whatever it is on the screen.

(() => {
  "use strict";
  const page = document.documentElement.dataset;
  let shown = null;
  addEventListener("beforeprint", () => {
    shown = page.theme;
    page.theme = "light";
  });
  addEventListener("afterprint", () => { page.theme = shown; });
})();
