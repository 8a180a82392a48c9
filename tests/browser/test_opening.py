"""The first page as a visitor has it: who never scrolls has lost a packet, and run Linux."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from scripts.opening import CHAPTER, WIDGET
from tests.browser.conftest import Look
from tests.site import extension

SCREENS = [(1440, 900), (390, 844)]
ALL = ("h1", ".lp-question", ".lp-answers", ".lp-moving canvas", ".lp-controls", ".lp-number", ".lp-ways")
QUARTER = 2
RUN = "Run it here"


def opened(look: Look, book: str, screen: tuple[int, int] = SCREENS[0]) -> Page:
    page = look(f"{book}book/intro.html", width=screen[0]).page
    page.set_viewport_size({"width": screen[0], "height": screen[1]})
    page.wait_for_selector(".lp-moving canvas[aria-label]")
    return page


def recorded() -> dict[tuple[str, str], str]:
    """Goodput by loss and algorithm, as the chapter's recording has it."""
    stored = extension("live.slices").recorded(CHAPTER)[WIDGET].stored
    loss, delay, cc = stored["knobs"]
    found = {}
    for (i, one), (k, algorithm) in product(enumerate(loss["texts"]), enumerate(cc["texts"])):
        point = stored["points"][f"{i},{delay['default']},{k}"]
        found[one, algorithm] = dict(point["summary"])["Goodput"]
    return found


@pytest.mark.parametrize("screen", SCREENS, ids=["wide", "phone"])
def test_who_never_scrolls_has_lost_a_packet(look: Look, book: str, screen: tuple[int, int]) -> None:
    page = opened(look, book, screen)
    for what in ALL:
        box = page.locator(f".bd-article {what}").first.bounding_box()
        assert box, what
        assert box["y"] >= 0, what
        assert box["y"] + box["height"] <= screen[1], what
    expect(page.locator(".lp-number")).to_have_text(recorded()["0%", "cubic"])
    assert "none was lost" in (page.locator(".lp-moving canvas").get_attribute("aria-label") or "")
    answers = page.locator(".lp-answers button")
    answers.nth(QUARTER).click()
    expect(page.locator(".lp-number")).to_have_text(recorded()["1%", "cubic"])
    expect(page.locator(".lp-verdict")).to_contain_text(recorded()["1%", "cubic"])
    expect(answers.nth(QUARTER)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".lp-moving canvas")).to_have_attribute("aria-label", re.compile("lost: [1-9]"))
    assert page.evaluate("scrollY") == 0


def shown(slider: Locator) -> str:
    """Its value, without the space before the unit."""
    return "".join((slider.get_attribute("aria-valuetext") or "").split())


def test_the_number_follows_the_slider_and_the_algorithm_by_keyboard(look: Look, book: str) -> None:
    page = opened(look, book)
    slider, choice = page.get_by_role("slider"), page.get_by_label("Congestion control")
    for (loss, cc), goodput in recorded().items():
        choice.select_option(label=cc)
        slider.focus()
        slider.press("Home")
        for _ in range(int(slider.get_attribute("max") or "0")):
            if shown(slider) == loss:
                break
            slider.press("ArrowRight")
        assert shown(slider) == loss
        expect(page.locator(".lp-number")).to_have_text(goodput)


def test_linux_runs_in_the_page_at_one_press_and_at_each_turn(look: Look, book: str) -> None:
    if not extension("lab_files").is_carried():
        pytest.skip("this site has no laboratory")
    page = opened(look, book)
    page.get_by_role("button", name=RUN).click()
    said = page.locator(".lp-said")
    expect(said).to_contain_text("the same as recorded, to the bit", timeout=60_000)
    assert json.loads(page.locator(".lp-opening script").text_content() or "")["live"]
    page.get_by_label("Congestion control").select_option(label="bbr")
    expect(page.locator(".lp-number")).to_have_text(recorded()["0%", "bbr"])
    expect(said).to_contain_text("the same as recorded, to the bit", timeout=60_000)


def test_packets_move_until_they_are_stopped_and_not_for_who_wants_no_motion(look: Look, book: str) -> None:
    page = opened(look, book)
    picture = "document.querySelector('.lp-moving canvas').toDataURL()"
    before = page.evaluate(picture)
    page.wait_for_function(f"before => {picture} !== before", arg=before)
    page.get_by_role("button", name="Stop the packets").click()
    before = page.evaluate(picture)
    page.wait_for_timeout(300)
    assert page.evaluate(picture) == before
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    expect(page.get_by_role("button", name="Play the packets")).to_be_visible()


def test_without_scripts_it_is_a_question_with_its_answers(look: Look, book: str) -> None:
    page = look(f"{book}book/intro.html", scripts=False).page
    expect(page.locator(".lp-question")).to_be_visible()
    assert page.locator(".lp-answers > *").count() == 3
    expect(page.locator(".lp-number")).to_have_text(recorded()["0%", "cubic"])
