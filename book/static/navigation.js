// What the theme's navigation leaves out. "On this page" highlights the section that is being read, wherever a jump has
// led: the theme waits for a heading to pass, and a jump into the middle of a section passes none. A menu over the page closes
// when it has led somewhere in the page; and whoever opened one with a key is back at its button when it closes.

(() => {
  "use strict";
  const SETTLED_MS = 120;
  const READ = 0.3; // of the window's height: a heading above this line is being read, as the theme has it

  const contents = document.getElementById("pst-page-toc-nav");
  const links = [...(contents?.querySelectorAll("a[href^='#']") ?? [])];
  const headings = links
    .map((link) => ({ link, heading: document.getElementById(link.hash.slice(1))?.querySelector("h1, h2, h3, h4") }))
    .filter(({ heading }) => heading);

  const topOf = ({ heading }) => heading.getBoundingClientRect().top;
  const isRead = (one) => topOf(one) < innerHeight * READ;
  const isSeen = ({ heading }) => !heading.closest("details:not([open])");

  const current = () => {
    const seen = headings.filter(isSeen);
    const named = seen.find(({ link }) => link.hash === location.hash);
    if (named && topOf(named) >= 0 && (isRead(named) || atTheEnd())) return named;
    return seen.findLast(isRead);
  };
  const atTheEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 2;

  const highlight = () => {
    const link = current()?.link;
    for (const one of links) {
      one.classList.toggle("active", one === link);
      if (one === link) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    for (const entry of contents.querySelectorAll(".toc-entry")) entry.classList.toggle("active", entry.contains(link ?? null));
  };

  let settling = 0;
  const settle = () => {
    clearTimeout(settling);
    settling = setTimeout(highlight, SETTLED_MS);
  };
  if (headings.length) {
    addEventListener("scroll", settle, { passive: true });
    addEventListener("load", settle);
  }

  for (const side of ["primary", "secondary"]) {
    const button = document.querySelector(`.${side}-toggle`);
    let byKey = false;
    button?.addEventListener("click", ({ detail }) => { byKey = detail === 0; }, true);
    const menu = document.getElementById(`pst-${side}-sidebar-modal`);
    menu?.addEventListener("close", () => { if (byKey) button.focus(); });
    menu?.addEventListener("click", ({ target }) => {
      if (!target.closest("a[href^='#']")) return; // the others lead to another page
      byKey = false;
      menu.close();
    });
  }
})();
