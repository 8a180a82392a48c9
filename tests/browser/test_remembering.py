"""What a reader did is there after a reload, on this device alone, until forgotten; a link has a setting."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Look

CHAPTER = "chapters/01-a-network-in-a-notebook"
FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') } }"
EXPLORER, QUESTION, QUIZ = "window", "guess-A", "#quiz-1-2"


def chapter(look: Look, book: str, more: str = "") -> Page:
    page = look(f"{book}{CHAPTER}.html{more}").page
    page.wait_for_load_state()
    return page


def figure(page: Page, name: str) -> Locator:
    """Drawn."""
    found = page.locator(f'figure.lp-figure[data-name="{name}"]')
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-state", "drawn")
    return found


def turn_to_reno(explorer: Locator) -> None:
    explorer.get_by_label("Congestion control").select_option(label="reno")
    explorer.get_by_role("slider", name="Loss").press("End")
    expect(explorer.locator(".lp-runs li").first).to_contain_text(
        "Loss 5 %, Delay 15 ms, Congestion control reno"
    )


def test_knobs_answers_and_quiz_survive_a_reload(look: Look, book: str) -> None:
    page = chapter(look, book)
    turn_to_reno(figure(page, EXPLORER))
    question = figure(page, QUESTION)
    question.get_by_role("spinbutton").fill("50")
    question.get_by_role("button", name="Commit").click()
    verdict = question.locator(".lp-verdict").inner_text()
    assert "50" in verdict
    page.locator(".lp-practice > summary").click()
    page.locator(QUIZ).check(force=True)
    page.reload()
    expect(figure(page, EXPLORER).locator(".lp-runs li").first).to_contain_text("Loss 5 %")
    expect(figure(page, EXPLORER).locator(".lp-runs li").first).to_contain_text("reno")
    expect(figure(page, QUESTION).locator(".lp-verdict")).to_have_text(verdict)
    expect(page.locator(QUIZ)).to_be_checked()
    figure(page, QUESTION).get_by_role("button", name="Try again").click()
    page.reload()
    expect(figure(page, QUESTION).get_by_role("button", name="Commit")).to_be_visible()
    expect(figure(page, QUESTION).locator(".lp-verdict")).to_have_text("")


def test_a_link_has_the_setting_whatever_this_device_remembers(look: Look, book: str) -> None:
    page = chapter(look, book)
    explorer = figure(page, EXPLORER)
    turn_to_reno(explorer)
    explorer.get_by_role("button", name="Link to this setting").click()
    link = page.url
    assert link.endswith(f"#{EXPLORER}?loss=5%25&delay=15ms&cc=reno")
    explorer.get_by_label("Congestion control").select_option(label="bbr")
    other = look(link).page
    expect(other.locator(f"#{EXPLORER}")).to_be_in_viewport()
    expect(figure(other, EXPLORER).locator(".lp-runs li").first).to_contain_text("Congestion control reno")


def test_a_link_of_another_book_shows_where_the_explorer_starts(look: Look, book: str) -> None:
    page = chapter(look, book, f"#{EXPLORER}?loss=97%25&colour=green")
    expect(figure(page, EXPLORER).locator(".lp-runs li").first).to_contain_text("Loss 1 %, Delay 15 ms")


def test_a_page_that_was_read_is_marked_and_all_can_be_forgotten(look: Look, book: str) -> None:
    page = chapter(look, book)
    mark = page.locator(".bd-sidebar-primary .lp-read")
    assert mark.count() == 0
    page.locator(".prev-next-footer").scroll_into_view_if_needed()
    expect(mark).to_have_count(1)
    page.goto(f"{book}book/intro.html")
    expect(page.locator(".bd-sidebar-primary a:has(.lp-read)")).to_contain_text("A network in a notebook")
    expect(page.locator(".bd-article a:has(.lp-read)")).to_contain_text("A network in a notebook")
    page.get_by_role("button", name="Forget what I did here").click()
    expect(page.locator(".lp-read")).to_have_count(0)
    expect(page.get_by_role("button", name="Forget what I did here")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('lost-packets'))") == []


def test_what_others_wrote_there_and_a_full_device_break_nothing(look: Look, book: str) -> None:
    page = chapter(look, book)
    page.evaluate("localStorage.setItem('lost-packets ' + location.pathname, '[1, {')")
    page.evaluate(FULL)
    turn_to_reno(figure(page, EXPLORER))
    page.reload()
    expect(figure(page, EXPLORER).locator(".lp-runs li").first).to_contain_text("Loss 1 %")
