"""The two menus of a page open, at every width, by pointer and by key; "On this page" follows the reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Look
from tests.browser.firefox import Firefox, firefox

CHAPTER = "chapters/01-a-network-in-a-notebook"
LONG = "chapters/05-following-one-packet"
WIDTHS = [390, 768, 1440]
WIDE = 992  # from here on the chapters stand beside the page, and their button hides them
WIDER = 1200  # from here on the page's own contents stand there, too, and have no button
BUTTON = ".bd-header-article .{side}-toggle"
LINKS = {"primary": "a[href*='05-following-one-packet']", "secondary": "#pst-page-toc-nav a"}
CONTENTS = Path(__file__).parents[2] / "book/_toc.yml"


def sides(width: int) -> list[str]:
    """Whose buttons a page has."""
    return ["primary", "secondary"] if width < WIDER else ["primary"]


def is_beside(side: str, width: int) -> bool:
    return side == "primary" and width >= WIDE


@pytest.mark.parametrize("by", ["pointer", "key"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_menus_open_in_chromium(look: Look, book: str, width: int, by: str) -> None:
    page = look(f"{book}{CHAPTER}.html", width=width).page
    for side in sides(width):
        button, link = page.locator(BUTTON.format(side=side)), page.locator(LINKS[side]).first
        press = button.click if by == "pointer" else lambda b=button: b.press("Enter")
        if is_beside(side, width):
            expect(link).to_be_visible()
            press()
            expect(link).not_to_be_visible()
            continue
        expect(link).not_to_be_visible()
        press()
        expect(link).to_be_visible()
        page.keyboard.press("Escape")
        expect(link).not_to_be_visible()
        if by == "key":
            expect(button).to_be_focused()
    page.locator(BUTTON.format(side="primary")).click()
    expect(page.locator(LINKS["primary"]).first).to_be_visible()
    page.locator(LINKS["primary"]).first.click()
    page.wait_for_url("**/05-following-one-packet.html")


def test_a_menu_over_the_page_closes_when_it_has_led_somewhere(look: Look, book: str) -> None:
    page = look(f"{book}book/how-to-use.html", width=390).page
    page.locator(BUTTON.format(side="secondary")).click()
    page.locator(LINKS["secondary"]).filter(has_text="Turn the knobs").click()
    expect(page.locator(LINKS["secondary"]).first).not_to_be_visible()
    expect(page.locator("#turn-the-knobs h2")).to_be_in_viewport()


@pytest.fixture(scope="module")
def fox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as running:
        yield running


@pytest.mark.parametrize("by", ["pointer", "key"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_menus_open_in_firefox(fox: Firefox, book: str, width: int, by: str) -> None:
    fox.goto(f"{book}{CHAPTER}.html", width=width)
    for side in sides(width):
        button = f"document.querySelector({BUTTON.format(side=side)!r})"
        is_seen = f"document.querySelector({LINKS[side]!r}).checkVisibility({{visibilityProperty: true}})"
        before = fox.evaluate(is_seen)
        assert before == is_beside(side, width)
        if by == "key":
            fox.evaluate(f"{button}.focus()")
            fox.press("Enter")
        else:
            box = fox.evaluate(f"{button}.getBoundingClientRect().toJSON()")
            fox.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert fox.evaluate(until(f"{is_seen} !== {str(before).lower()}"))
        if not before:
            fox.press("Escape")
            assert fox.evaluate(until(f"!{is_seen}"))


def until(condition: str, within_ms: int = 5000) -> str:
    """A promise of whether it comes true."""
    return f"""(async () => {{
      for (let waited = 0; waited < {within_ms} && !({condition}); waited += 50)
        await new Promise((done) => setTimeout(done, 50));
      return {condition};
    }})()"""


def highlighted(page: Page) -> list[str]:
    return page.locator("#pst-page-toc-nav a[aria-current]").all_inner_texts()


def height(page: Page, link: Locator) -> float:
    """Of the section that the link leads to, as it is shown."""
    section = page.locator(link.get_attribute("href") or "")
    found: float = section.evaluate("one => one.getBoundingClientRect().height")
    return found


@pytest.mark.parametrize("side", ["top", "middle"])
def test_the_highlighted_section_follows_a_jump(look: Look, book: str, side: str) -> None:
    """To its heading, and to where no heading is in sight."""
    page = look(f"{book}{LONG}.html", width=1440).drawn().page
    shown = page.locator("#pst-page-toc-nav a:visible").all()
    long = [at for at, link in enumerate(shown) if height(page, link) > 900]
    assert len(long) >= 3, "sections longer than the window"
    for at in (long[-1], long[0], long[1]):
        link = shown[at]
        section = page.locator(link.get_attribute("href") or "")
        text = link.inner_text()
        if side == "top":
            link.click()
        else:
            section.evaluate(
                "one => scrollTo(0, scrollY + one.getBoundingClientRect().bottom - innerHeight * 0.7)"
            )
        expect(page.locator("#pst-page-toc-nav a[aria-current]")).to_have_text([text])


def test_a_reader_meets_the_bench_first_and_installing_last() -> None:
    files = [
        entry["file"] for part in yaml.safe_load(CONTENTS.read_text())["parts"] for entry in part["chapters"]
    ]
    assert files[:2] == ["book/how-to-use", "book/bench"]
    assert files[-4:] == ["book/install", "book/run-it", "book/vm", "book/hub"]
