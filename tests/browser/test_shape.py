"""The shape of a chapter: short, its explorer near the top, code and practice folded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from bench.shape import WIDTH, Shape, shape
from tests.browser.book_pages import PAGES
from tests.browser.conftest import Look
from tests.project.test_house_words import NOT_YET

HIGHEST = 9000  # CSS pixels: ten screens
TOO_HIGH = {
    "01-a-network-in-a-notebook": 9_700,
    "02-how-tcp-works": 10_200,
    "03-slow-start-and-the-sawtooth": 12_500,
    "15-small-writes-and-dead-peers": 11_400,
    "26-loss-is-an-output": 9_700,
}
"""Pages that are to be shorter, and how high they may be until then: a line goes when its page is."""
MOST_WORDS = 3000
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]


def faults(found: Shape, highest: int = HIGHEST) -> list[str]:
    """What is wrong with it, in words."""
    first = "none" if found.explorer is None else f"at {found.explorer:.0%}"
    told = {
        f"{found.height} px high, {highest} are the most": found.height > highest,
        f"{found.words} words are seen, {MOST_WORDS} are the most": found.words > MOST_WORDS,
        f"the first explorer: {first}, and not in the first third": (found.explorer or 1) > 1 / 3,
        f"{found.code} blocks of code on the first screen": found.code > 0,
        f"{found.most_folds} folds of code in a section": found.most_folds > 1,
        f"outside of Practice: {', '.join(found.outside)}": bool(found.outside),
    }
    return [words for words, is_so in told.items() if is_so]


@pytest.mark.parametrize("page", CHAPTERS)
@pytest.mark.usefixtures("changed")
def test_a_chapter_has_the_shape_of_one(look: Look, book: str, page: str) -> None:
    """Of one that is not yet rewritten only what needs no other words."""
    found = shape(look(f"{book}{page}.html", width=WIDTH).page)
    if f"{Path(page).name}.md" in NOT_YET:
        assert found.most_folds <= 1
    else:
        said = faults(found, TOO_HIGH.get(Path(page).name, HIGHEST))
        assert not said, "\n".join(said)


GOOD = Shape(9000, 3000, 8, 1, 3, 9, 0.33, 0, ())


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("height", 9001, "9001 px high"),
        ("words", 3001, "3001 words are seen"),
        ("explorer", 0.34, "the first explorer: at 34%"),
        ("explorer", None, "the first explorer: none"),
        ("code", 1, "1 blocks of code on the first screen"),
        ("most_folds", 2, "2 folds of code in a section"),
        ("outside", ("Quiz",), "outside of Practice: Quiz"),
    ],
)
def test_each_rule_finds_what_breaks_it(part: str, value: object, said: str) -> None:
    assert faults(GOOD) == []
    [fault] = faults(replace(GOOD, **{part: value}))
    assert fault.startswith(said)


SmallBook = tuple[str, str]


def put(page: Page, html: str, after: str) -> None:
    """Something more into the page."""
    page.locator(after).first.evaluate("(one, html) => one.insertAdjacentHTML('afterend', html)", html)


CODE = '<div class="highlight"><pre>x = 1</pre></div>'


def test_faults_put_into_a_page_are_measured(look: Look, small_book: SmallBook) -> None:
    page = look(f"{small_book[0]}practice.html", width=WIDTH).page
    before = shape(page)
    assert (before.folds, before.most_folds, before.code, before.outside) == (2, 1, 1, ())
    put(page, CODE, ".bd-article h1")
    put(page, "<details class='lp-code'><summary>More</summary></details>", "#a-thread > .lp-code")
    put(page, "<section><h3>Quiz</h3><p>Three words more.</p></section>", "#a-thread > p")
    put(page, "<p>Left out</p>", "#practice > h2")
    put(page, "<div style='height: 9000px'></div>", "#practice")
    put(page, '<figure data-lp="explorer">x</figure>', "#practice")
    found = shape(page)
    assert (found.folds, found.most_folds, found.code) == (3, 2, 2)
    assert found.outside == ("Quiz", "<p>Left out</p>")
    assert found.words == before.words + 2 + 1 + 4 + 2 + 1  # x = 1, More, Quiz and its text, Left out, x
    assert found.height > before.height + 9000
    assert (before.explorer, found.figures) == (None, before.figures + 1)
    assert found.explorer is not None and found.explorer < 1 / 3


def test_what_is_folded_is_not_measured(look: Look, small_book: SmallBook) -> None:
    page = look(f"{small_book[0]}practice.html", width=WIDTH).page
    before = shape(page)
    put(page, "<p>Four words and more.</p>", "#exercises > h3")
    put(page, CODE, ".lp-code .cell")
    put(page, "<p hidden>Two words</p>", ".bd-article h1")
    assert shape(page) == before
