"""The two folds of a chapter: the code of a section, and Practice, which a link into it opens."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look
from tests.browser.faults import axe
from tests.browser.test_blocks import tab_to

SmallBook = tuple[str, str]
SUMMARY = (
    "Practice: on your own machine, 1 exercise, 1 question, 1 section that goes deeper, "
    "reproduce this chapter"
)


@pytest.fixture
def chapter(small_book: SmallBook) -> str:
    return f"{small_book[0]}practice.html"


def practice(page: Page) -> dict[str, bool]:
    """What is seen of it."""
    return {
        name: page.get_by_role("heading", name=name).is_visible()
        for name in ("Practice", "Quiz", "Exercises")
    }


CLOSED = {"Practice": True, "Quiz": False, "Exercises": False}


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_practice_is_a_heading_and_a_fold_that_says_what_is_in_it(
    look: Look, chapter: str, scripts: bool
) -> None:
    page = look(chapter, scripts=scripts).page
    assert practice(page) == CLOSED
    assert page.locator(".lp-practice > summary").inner_text() == SUMMARY
    tab_to(page, ".lp-practice > summary")
    page.keyboard.press("Enter")
    assert all(practice(page).values())


def test_an_address_within_practice_opens_it(look: Look, chapter: str) -> None:
    page = look(f"{chapter}#exercises").page
    expect(page.get_by_role("heading", name="Exercises")).to_be_in_viewport()


def test_a_link_into_practice_opens_it_each_time(look: Look, chapter: str) -> None:
    page = look(chapter).page
    exercises, link = (
        page.get_by_role("heading", name="Exercises"),
        page.get_by_role("link", name="exercises"),
    )
    link.first.click()
    expect(exercises).to_be_in_viewport()
    page.locator(".lp-practice > summary").click()
    expect(exercises).not_to_be_visible()
    link.first.click()
    expect(exercises).to_be_in_viewport()


def test_practice_opens_by_its_own_script_where_a_browser_does_not(look: Look, chapter: str) -> None:
    page = look(f"{chapter}#exercises").page
    page.evaluate("document.querySelector('.lp-practice').open = false")
    page.evaluate("dispatchEvent(new Event('hashchange'))")
    expect(page.get_by_role("heading", name="Exercises")).to_be_in_viewport()


def test_on_this_page_names_practice_and_not_what_is_closed(look: Look, chapter: str) -> None:
    page = look(chapter, width=1440).page
    page.locator("#pst-page-toc-nav a", has_text="Practice").click()
    current = page.locator("#pst-page-toc-nav a[aria-current=true]")
    expect(current).to_have_text("Practice")
    page.locator("#pst-page-toc-nav a", has_text="Quiz").click()
    expect(page.get_by_role("heading", name="Quiz")).to_be_in_viewport()
    expect(current).to_have_text("Quiz")


def test_a_figure_in_practice_is_drawn_as_wide_as_its_place(look: Look, chapter: str) -> None:
    page = look(chapter).drawn().page
    page.locator(".lp-practice > summary").click()
    figure = page.locator("#within")
    figure.scroll_into_view_if_needed()
    widths = "one => [one.querySelector('.lp-view').clientWidth, one.querySelector('svg').clientWidth]"
    page.wait_for_function(
        f"() => {{ const [a, b] = ({widths})(document.getElementById('within')); return a === b; }}"
    )
    room, drawn = figure.evaluate(widths)
    assert room == drawn > 400


def test_on_paper_practice_is_open(look: Look, chapter: str, tmp_path: Path) -> None:
    page = look(chapter).page
    page.emulate_media(media="print")
    assert all(practice(page).values())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".lp-practice").get_attribute("open") is not None
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".lp-practice").get_attribute("open") is None


def test_hidden_code_is_in_one_fold_at_the_end_of_its_section(look: Look, chapter: str) -> None:
    page = look(chapter).page
    own = "section => [...section.querySelectorAll(':scope > .lp-code')].map((fold) => fold.innerText)"
    page.evaluate("document.querySelectorAll('details').forEach((fold) => fold.open = true)")
    thread, within = page.locator("#a-thread"), page.locator("#within-it")
    [first], [second] = thread.evaluate(own), within.evaluate(own)
    assert " ".join(first.split()) == "Code of this section %load_ext labkit first = 1"
    assert " ".join(second.split()) == "Code of this section second = 2"
    after = thread.locator(":scope > .lp-code").evaluate("fold => fold.nextElementSibling.id")
    assert after == "within-it"
    solved = page.locator(".solution .lp-code").text_content() or ""
    assert " ".join(solved.split()).startswith("Code of this section solved = 3")
    assert page.locator("details.hide").count() == 0


def test_what_hidden_code_put_out_and_code_that_is_not_hidden_stay_in_place(look: Look, chapter: str) -> None:
    page = look(chapter).page
    assert page.get_by_text("put out").is_visible()
    assert page.get_by_text("seen = 1").is_visible()
    assert not page.get_by_text("first = 1").is_visible()


def test_folded_code_can_be_copied(look: Look, chapter: str) -> None:
    page = look(chapter).page
    page.locator("#a-thread > .lp-code > summary").click()
    assert page.locator("#a-thread > .lp-code button.copybtn").count() == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_is_content_with_both_folds(look: Look, chapter: str, theme: str) -> None:
    page = look(chapter, dark=theme == "dark").drawn().page
    assert not list(axe(page, theme=theme))


def test_a_number_and_its_unit_stay_in_one_line(look: Look, chapter: str) -> None:
    page = look(f"{chapter}#quiz").page
    space = "\N{NO-BREAK SPACE}"
    text = page.locator("#a-thread > p").first.evaluate("one => one.textContent")
    assert f"A delay of 5{space}ms, " in text
    assert f"{space}% lost, and 5 ms." in text
    assert f"Is it 5{space}ms?" in page.locator(".lp-quiz").evaluate("one => one.textContent")
