"""Every page of the real book on a small telephone: nothing sideways, no formula or word cut, axe content.

One visit a page. All that is wrong with it is told at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Page

from tests.browser.book_pages import every_page
from tests.browser.conftest import Look
from tests.browser.faults import UNFOLD, all_faults, axe, unfinished
from tests.browser.figure_faults import cut_words, failed

NARROW = 360  # CSS pixels

# What reaches too far, but for what scrolls within something else.
WIDE = """() => {
  const scrolls = (element) => element !== document.body &&
    (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
  return [...document.querySelectorAll('.bd-article *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth && !scrolls(one.parentElement))
    .map((one) => one.outerHTML.slice(0, 120));
}"""

CUT = """() => [...document.querySelectorAll('div.math')].filter((formula) =>
  [...formula.querySelectorAll('mi, mn, mo')].some((sign) => {
    const box = sign.getBoundingClientRect();
    return box.width && box.left < formula.getBoundingClientRect().left - 1;
  })).map((formula) => formula.textContent.slice(0, 120))"""


@every_page
@pytest.mark.usefixtures("changed")
def test_a_page_fits_a_small_screen_and_can_be_read(look: Look, book: str, page: str) -> None:
    visit = look(f"{book}{page}.html", width=NARROW)
    faults = all_faults(
        visit.page,
        {
            "not finished": unfinished,
            "not drawn": failed,
            "sideways": sideways,
            "formula cut": cut,
            "words cut": cut_words,
            "axe": partial(axe, theme="light"),
            "console": lambda _: visit.errors,
        },
    )
    assert not faults, "\n".join(faults)


def sideways(page: Page) -> Iterator[str]:
    """The page itself never scrolls that way."""
    page.evaluate(UNFOLD)
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > NARROW:
        yield f"{width} px wide: {page.evaluate(WIDE)[:8]}"


def cut(page: Page) -> Iterator[str]:
    """A long formula shows its beginning; the rest scrolls."""
    yield from page.evaluate(CUT)
