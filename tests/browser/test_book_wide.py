"""Every page of the real book on a wide screen: complete without another host, drawn, readable in both
themes.

One visit a page. All that is wrong with it is told at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Page

from tests.browser import figure_faults
from tests.browser.book_pages import every_page
from tests.browser.conftest import Look, Visit
from tests.browser.faults import OF_COLOURS, all_faults, axe, unfinished
from tests.built_site import LAB


@every_page
@pytest.mark.usefixtures("changed")
def test_a_page_is_complete_and_can_be_read(look: Look, book: str, page: str) -> None:
    """Figures are turned and answered last: axe sees forms as a reader finds them, with open fields."""
    visit = look(f"{book}{page}.html", dark=True)
    faults = all_faults(
        visit.page,
        {
            "not finished": unfinished,
            "laboratory": lambda _: loaded_unasked(visit),
            "axe, dark": partial(axe, theme="dark"),
            "axe, light": partial(axe, theme="light", only=OF_COLOURS),
            "number": partial(wrong_numbers, chapter=page),
            "knob": figure_faults.dead_knobs,
            "prediction": figure_faults.predictions,
            "figure": figure_faults.undrawn,
            "drawing": figure_faults.unseen,
            "another host": lambda _: elsewhere(visit, book),
            "console": lambda _: visit.errors,
        },
    )
    assert not faults, "\n".join(faults)


def elsewhere(visit: Visit, book: str) -> Iterator[str]:
    """What the page asked of anybody but the site itself, until now."""
    if len(visit.requests) <= 10:
        yield f"only {len(visit.requests)} requests were seen"
    yield from (url for url in visit.requests if not url.startswith((book, "data:")))


def loaded_unasked(visit: Visit) -> Iterator[str]:
    """What was loaded of the laboratory, by a page that does not name it: nothing has been run."""
    if not visit.page.locator(f"script[src*='{LAB}/']").count():
        yield from (url for url in visit.requests if f"{LAB}/" in url)


def wrong_numbers(page: Page, *, chapter: str) -> Iterator[str]:
    """A chapter, its sections and its captions have the number in its file's name."""
    if not chapter.startswith("chapters/"):
        return
    number = chapter.removeprefix("chapters/").partition("-")[0].lstrip("0")
    shown = page.locator(".bd-article :is(.section-number, .caption-number)").all_inner_texts()
    if not shown:
        yield f"there is none: {number}"
    for text in shown:
        if re.findall(r"\b(?:\d+|[A-Z](?=\.))", text)[:1] != [number]:
            yield f"{text.strip()}, where it should be {number}"
