// @ts-check
/* Every page of the site: answers to a quiz are there again after a reload, pages that were read to their end are marked in
 * the contents, and all of it can be forgotten. */

import { button, element } from "../widgets/dom.mjs";
import { Memory } from "../widgets/memory.mjs";

const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const memory = new Memory(new URL("..", script.src).href);

/** The choices of each quiz are radio buttons of one name. */
function quizzes() {
  const entry = memory.entry(location.href);
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll('input[type=radio][name^="quiz-"]')
  )) {
    input.checked = entry[input.name] === input.id;
    input.addEventListener("change", () => {
      memory.put(location.href, input.name, input.id);
      forgetting();
    });
  }
}

/** A page is read when its end has been in view. */
function reading() {
  const end = document.querySelector(".prev-next-footer");
  if (!end || document.documentElement.scrollHeight < 2 * innerHeight) return;
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    seen.disconnect();
    memory.put(location.href, "read", true);
    marks();
    forgetting();
  });
  seen.observe(end);
}

/** In the contents, beside the pages that were read. */
function marks() {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll(".bd-sidebar-primary .bd-links a, .bd-article .toctree-wrapper a")
  );
  for (const old of document.querySelectorAll(".lp-read")) old.remove();
  for (const link of links) {
    if (!memory.entry(link.href).read || link.hash) continue;
    link.append(
      element("span", { className: "lp-read", role: "img", "aria-label": "read", textContent: "✓" }),
    );
  }
}

const forget = button("Forget what I did here", () => {
  memory.forget();
  location.reload();
});
forget.className = "btn btn-sm btn-outline-secondary lp-forget";
forget.title = "Answers, knobs and marks of pages that were read. They are kept on this device alone.";

/** The button is there while there is something to forget. */
function forgetting() {
  if (memory.isEmpty) forget.remove();
  else document.querySelector(".bd-sidebar-primary .sidebar-primary-items__end")?.append(forget);
}

quizzes();
marks();
forgetting();
reading();
