// What every page does: on paper it is light, whatever it is on the screen, and the fold "Practice" is open; a link into a
// fold opens it; a formula that is too wide for the page, and so scrolls, can be reached from the keyboard; what the menu "run
// this chapter" has in the page itself opens no other tab, and what the menu beside it has is saved as a file.

(() => {
  "use strict";
  const page = document.documentElement.dataset;
  let shown = null;
  let closed = [];
  addEventListener("beforeprint", () => {
    shown = page.theme;
    page.theme = "light";
    closed = [...document.querySelectorAll(".lp-practice:not([open])")];
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    page.theme = shown;
    for (const fold of closed) fold.open = false;
  });

  // Browsers of 2025 do this themselves.
  const reveal = () => {
    const named = document.querySelector(":target");
    const inside = () => named?.closest("details:not([open])");
    if (!inside()) return;
    while (inside()) inside().open = true;
    named.scrollIntoView();
  };
  addEventListener("load", reveal);
  addEventListener("hashchange", reveal);
  addEventListener("click", ({ target }) => {
    if (target.closest?.("a[href*='#']")?.href === location.href) reveal(); // named already: no hash changes
  });

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
