// What every page does: on paper it is light, whatever it is on the screen; a formula that is too wide for it, and so
// scrolls, can be reached from the keyboard; what the menu "run this chapter" has in the page itself opens no other tab, and
// what the menu beside it has is saved as a file.

(() => {
  "use strict";
  const page = document.documentElement.dataset;
  let shown = null;
  addEventListener("beforeprint", () => {
    shown = page.theme;
    page.theme = "light";
  });
  addEventListener("afterprint", () => { page.theme = shown; });

  const reach = () => {
    for (const formula of document.querySelectorAll("div.math")) {
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  };
  addEventListener("load", reach);
  for (const link of document.querySelectorAll('.dropdown-launch-buttons a[href^="#"]')) link.removeAttribute("target");
  for (const link of document.querySelectorAll(".dropdown-download-buttons a")) {
    link.removeAttribute("target");
    link.download = "";
  }
  addEventListener("resize", reach);
})();
