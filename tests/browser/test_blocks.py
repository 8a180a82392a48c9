"""Quiz, exercise and fold by keyboard alone, and without scripts; what is said of a quiz that is none."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Look

SmallBook = tuple[str, str]
CONTRAST = """(element) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(element);
  const [word, ground] = [light(style.color), light(style.backgroundColor)];
  return (Math.max(word, ground) + 0.05) / (Math.min(word, ground) + 0.05);
}"""
FOCUSED = "document.activeElement.closest('input, summary, button, a, [tabindex]')?.outerHTML.slice(0, 80)"


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until it has the focus; a page has no more stops than this."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"no way by Tab to {selector}; at last {page.evaluate(FOCUSED)}")


def test_a_quiz_is_a_group_with_a_name_and_its_answers_are_hidden(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html").page
    group = page.get_by_role("group", name="1. What is lost?")
    assert group.get_by_role("radio").count() == 2
    assert group.get_by_role("radio", name="The queue.").is_visible()
    assert not group.locator(".lp-feedback").first.is_visible()
    assert page.get_by_role("group", name="2. What stands here is a question").is_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_choice_by_keyboard_shows_its_feedback_and_no_other(
    look: Look, small_book: SmallBook, scripts: bool
) -> None:
    page = look(small_book[0] + "blocks.html", scripts=scripts).page
    tab_to(page, "#quiz-1-1")
    page.keyboard.press("Space")
    feedback = page.locator("#quiz-1 .lp-feedback")
    assert feedback.nth(0).inner_text().split("\n")[0] == "No. A queue drops."
    page.keyboard.press("ArrowDown")
    assert feedback.nth(1).inner_text() == "Yes. It left and did not arrive."
    assert [said.is_visible() for said in feedback.all()] == [False, True]


def test_feedback_appears_where_a_screen_reader_listens(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html").page
    assert (
        page.locator(".lp-feedback").count() == page.locator("[aria-live=polite] > .lp-feedback").count() == 4
    )


def test_on_paper_every_feedback_is_there(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html").page
    page.emulate_media(media="print")
    assert all(said.is_visible() for said in page.locator(".lp-feedback").all())


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_what_was_measured_of_a_puzzle_appears_once_a_guess_was_made(
    look: Look, small_book: SmallBook, scripts: bool
) -> None:
    page = look(small_book[0] + "blocks.html", scripts=scripts).page
    puzzle = page.get_by_role("group", name="Which path carries more?")
    answer, later = page.get_by_text("The short one carries more."), page.get_by_text("when you have chosen")
    names = ["The short one", "Both about the same", "I would rather see it"]
    assert [puzzle.get_by_role("radio", name=name).count() for name in names] == [1, 1, 1]
    assert (answer.is_visible(), later.is_visible()) == (False, True)
    assert page.get_by_text("It is shorter.").is_visible(), "the next section"
    tab_to(page, "#quiz-guess-1-1")
    page.keyboard.press("Space")
    assert (answer.is_visible(), later.is_visible()) == (True, False)


def test_on_paper_nothing_waits_for_a_guess(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html").page
    page.emulate_media(media="print")
    assert page.get_by_text("The short one carries more.").is_visible()


def test_a_guess_is_there_after_a_reload(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html").page
    page.get_by_role("radio", name="The short one").check()
    page.reload()
    assert page.get_by_role("radio", name="The short one").is_checked()
    assert page.get_by_text("The short one carries more.").is_visible()


def test_a_solution_is_folded_and_opens_by_keyboard(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html").page
    solution = page.locator(".solution .highlight")
    assert not solution.is_visible()
    tab_to(page, ".solution .toggle-button")
    page.keyboard.press("Enter")
    assert solution.is_visible()


def test_without_scripts_a_solution_can_be_read(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "blocks.html", scripts=False).page
    assert page.locator(".solution .highlight").is_visible()


def test_the_keyboard_opens_a_table_turns_a_knob_and_gets_out_again(
    look: Look, small_book: SmallBook
) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    tab_to(page, "#window summary")
    page.keyboard.press("Enter")
    assert page.locator("#window table").is_visible()
    tab_to(page, "#window .lp-table-scroll")
    line = "document.querySelector('#knob .mark-line path').getAttribute('opacity')"
    before = page.evaluate(line)
    tab_to(page, "#knob .lp-knobs input")
    page.keyboard.press("Home")
    page.wait_for_function(f"{line} !== {before!r}" if before else f"{line} !== null")
    tab_to(page, "footer a, .prev-next-footer a")


def test_a_quiz_that_is_none_is_a_warning_with_its_place_and_the_cure(small_book: SmallBook) -> None:
    said = small_book[1]
    assert "faults.md:3: WARNING: quiz: choice 2 has no feedback; a choice is `- [ ] text`" in said
    assert "faults.md:3: WARNING: quiz: 0 right of 2 choices" in said
    assert "faults.md:10: WARNING: guess: 1 choices: it needs two or more, each a line `- text`" in said


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_an_anecdote_is_told_as_one_beside_its_code_in_the_fold(
    look: Look, small_book: SmallBook, dark: bool
) -> None:
    page = look(small_book[0] + "figures.html", width=360, dark=dark).drawn().page
    labels = page.get_by_text("In this run", exact=True)
    cells = page.locator(".cell.tag_in-this-run")
    assert [label.is_visible() for label in labels.all()] == [True, False]
    assert not cells.nth(1).locator(".highlight").is_visible()
    page.get_by_text("Code of this section").click()
    assert all(label.is_visible() for label in labels.all())
    assert cells.nth(1).locator(".highlight").is_visible()
    for label in labels.all():
        box = label.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 360
        assert label.evaluate(CONTRAST) >= 4.5  # WCAG 2.2
