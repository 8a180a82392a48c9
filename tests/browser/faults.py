"""Whatever is wrong with a page, told at once: each check yields all that it finds, what and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, Page

from bench.browser import all_drawn

Check = Callable[[Page], Iterable[str]]

UNFOLD = """() => {
  document.querySelectorAll('details').forEach(fold => fold.open = true);
  return Promise.all(document.getAnimations().map(fading => fading.finished));
}"""  # the theme fades a fold in; half faded, its text has no contrast
LOOKS = 2
"""So many texts of each look are measured for their contrast."""

# What the contrast of a text depends on: colours, size, weight, and what is behind it. Axe looks behind each
# text that it is given, which takes half a minute where there are 7,000: two of each look are measured.
MARK = """(most) => {
  const seen = new Map();
  const hasText = (element) => element.matches('input, select, textarea') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const walk = (element, above) => {
    const style = getComputedStyle(element);
    if (style.display === 'none') return;
    const ground = [style.backgroundColor, style.backgroundImage, style.opacity].join(' ');
    const isOpaque = style.backgroundColor.startsWith('rgb(') && style.opacity === '1';
    const behind = isOpaque ? ground : `${above}, ${ground}`;
    const look = [behind, style.color, style.textShadow, style.fontSize, style.fontWeight].join('; ');
    const isText = style.visibility === 'visible' && hasText(element);
    if (isText) seen.set(look, (seen.get(look) ?? 0) + 1);
    element.toggleAttribute('data-look', isText && seen.get(look) <= most);
    for (const child of element.children) walk(child, behind);
  };
  walk(document.body, '');
}"""
AXE = """(options) => {
  axe.configure({rules: [{id: 'color-contrast', selector: '[data-look]'}]});
  return axe.run(document, options);
}"""
OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""What axe looks at that differs from one theme to the other."""


def all_faults(page: Page, checks: Mapping[str, Check]) -> list[str]:
    """What each check finds, after its name. One that breaks off is a fault, too; the others go on."""
    found: list[str] = []
    for name, check in checks.items():
        try:
            for fault in check(page):
                found.append(f"{name}: {fault}")
        except Error as error:
            found.append(f"{name}: cannot be looked at: {error}")
    return found


def unfinished(page: Page) -> Iterator[str]:
    """Waits until every figure is drawn, or has said why not."""
    try:
        all_drawn(page)
    except Error:
        for figure in page.query_selector_all("figure.lp-figure:not([data-state])"):
            yield f"{figure.get_attribute('data-name')}: neither drawn nor failed"


def axe(page: Page, theme: str, only: Sequence[str] = ()) -> Iterator[str]:
    """What axe finds, all folds open, in this theme of the reader's system. only: by these rules."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.wait_for_selector(f"html[data-theme={theme}]", state="attached")
    page.evaluate(UNFOLD)
    page.evaluate(MARK, LOOKS)
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if only:
        options["runOnly"] = only
    for fault in page.evaluate(AXE, options)["violations"]:
        nodes = [node["html"][:200] for node in fault["nodes"][:4]]
        yield f"{fault['id']}: {fault['help']}: {len(fault['nodes'])} times: {nodes}"
