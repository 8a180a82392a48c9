"""How figures of the real book look: Vega is content, lines are 2 px wide, legends show what is drawn."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Look

CHAPTERS = ["03-slow-start-and-the-sawtooth", "22-delay-and-marks"]
DREW_MS = 500


def draw_all(page: Page) -> None:
    """Figures are drawn when they are near."""
    for figure in page.locator("figure.lp-figure:visible").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_timeout(DREW_MS)
    page.wait_for_selector("figure.lp-figure:not([data-state]):visible", state="detached")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_vega_warns_of_nothing_and_lines_are_seen(look: Look, book: str, chapter: str) -> None:
    visit = look("about:blank", width=1440)
    warned: list[str] = []
    visit.page.on("console", lambda said: warned.append(said.text) if said.type == "warning" else None)
    visit.page.goto(f"{book}chapters/{chapter}.html")
    draw_all(visit.page)
    assert not [text for text in warned if "WARN" in text]
    widths = visit.page.locator(".lp-chart .mark-line path").evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).strokeWidth))"
    )
    assert widths.count(2) > len(widths) / 2, "the others say themselves that they are thinner"
    assert 1.6 not in widths, "what charts are recorded with"


def test_a_legend_shows_a_dashed_line_and_no_blob(look: Look, book: str) -> None:
    page = look(f"{book}chapters/06-flipped-bits.html", width=1440).page
    question = page.locator("#predict-fer")
    question.scroll_into_view_if_needed()
    marks = question.locator(".role-legend-symbol path")
    marks.first.wait_for(state="attached")
    heights = marks.evaluate_all("all => all.map((one) => one.getBBox().height)")
    assert len(heights) == 2
    assert max(heights) < 1, "strokes"
