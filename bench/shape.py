"""What a reader finds of a page before anything is opened: how high, how many words, folds, tables, figures.

`python -m bench.shape _build/html` prints a line for each chapter of a built site, and the medians.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from playwright.sync_api import Page

from bench.browser import METERED, all_drawn, chromium, served

WIDTH, HEIGHT = 1440, 900
"""The window, in CSS pixels: the first screen."""

LOOK = """() => {
  const article = document.querySelector('.bd-article');
  const isSeen = (element) => element.checkVisibility({visibilityProperty: true, opacityProperty: true}) &&
    element.getBoundingClientRect().height > 0;
  const all = (selector) => [...article.querySelectorAll(selector)];
  const seen = (selector) => all(selector).filter(isSeen);
  const top = (element) => element.getBoundingClientRect().top + scrollY;

  let words = seen('math').length; // a formula is a word
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const {parentElement: parent, data} = texts.currentNode;
    const found = data.match(/\\S*\\w\\S*/g);
    if (found && !parent.closest('svg, math, script, style, [aria-hidden=true]') && isSeen(parent)) {
      words += found.length;
    }
  }
  const height = document.documentElement.scrollHeight;
  const explorer = seen('figure[data-lp=explorer]')[0];
  const bars = 'details.hide, details.lp-code';
  const ownBars = (section) => seen(bars).filter((bar) => bar.closest('section') === section).length;
  const isPractice = /^(Problems|Exercises|Quiz|On your own machine|Reproduce this chapter|Going deeper: .*)/;
  const titles = all('section > :is(h2, h3)').map((heading) => {
    const words = [...heading.childNodes].filter((one) => !one.matches?.('.section-number, .headerlink'));
    return {heading, text: words.map((one) => one.textContent).join('')};
  });
  const practice = titles.find(({text}) => text === 'Practice')?.heading.parentElement;
  return {
    height,
    words,
    folds: seen(bars).length,
    most_folds: Math.max(0, ...all('section').map(ownBars)),
    tables: seen('table').length,
    figures: seen('figure').length,
    explorer: explorer ? top(explorer) / height : null,
    code: seen('.highlight').filter((one) => !one.closest('.cell_output') && top(one) < innerHeight).length,
    outside: [
      ...titles.filter(({heading, text}) => isPractice.test(text) && !heading.closest('.lp-practice'))
        .map(({text}) => text),
      ...[...practice?.children ?? []].filter((part) => !part.matches('h2, details.lp-practice, span'))
        .map((part) => part.outerHTML.slice(0, 80)),
    ],
  };
}"""


@dataclass(frozen=True)
class Shape:
    """Of a page as it is shown at first. height: px; words: that are seen, in code and tables, too; folds: of
    code; most_folds: in one section; explorer: the top of the first one as a part of the height, None
    without one; code: blocks that the first screen shows; outside: parts of Practice out of its fold."""

    height: int
    words: int
    folds: int
    most_folds: int
    tables: int
    figures: int
    explorer: float | None
    code: int
    outside: tuple[str, ...]


def shape(page: Page) -> Shape:
    """Of the page that is shown there, in a window of WIDTH and HEIGHT, once its figures are drawn."""
    all_drawn(page)
    page.evaluate("scrollTo(0, 0)")
    found = page.evaluate(LOOK)
    return Shape(**found | {"outside": tuple(found["outside"])})


def table(shapes: dict[str, Shape]) -> str:
    """A line for each page, and the medians."""
    names = [field.name for field in fields(Shape)][:-1]
    head = f"{'chapter':36}" + "".join(f"{name:>11}" for name in names)
    lines = [f"{name:36}{''.join(map(_cell, astuple(one)[:-1]))}" for name, one in shapes.items()]
    columns = ([getattr(one, name) for one in shapes.values()] for name in names)
    medians = (statistics.median(x for x in column if x is not None) for column in columns)
    return "\n".join([head, *lines, f"{'median':36}{''.join(map(_cell, medians))}"])


def _cell(value: float | None) -> str:
    if value is None:
        return f"{'-':>11}"
    return f"{value:11.0%}" if 0 < value < 1 else f"{value:11,.0f}"


def of_site(site: Path, pages: Iterable[str]) -> dict[str, Shape]:
    """Pages of a built site by name, "chapters/01-name"."""
    shapes = {}
    with served(site) as address, chromium() as browser:
        for name in pages:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.add_init_script(METERED)
            page.goto(f"{address}{name}.html")
            shapes[Path(name).name] = shape(page)
            page.close()
    return shapes


if __name__ == "__main__":
    built = Path(sys.argv[1])
    read = (path for path in built.glob("chapters/*-*.html") if 'class="bd-article"' in path.read_text())
    chapters = sorted(path.relative_to(built).with_suffix("") for path in read)
    print(table(of_site(built, map(str, chapters))))
