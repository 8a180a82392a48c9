"""Every page of the real book in a browser: complete without another host, and readable for everybody."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Look

ROOT = Path(__file__).parents[2]
NARROW = 360  # CSS pixels: a small telephone
TOC = yaml.safe_load((ROOT / "book/_toc.yml").read_text())
PAGES = [TOC["root"], "search", *(entry["file"] for part in TOC["parts"] for entry in part["chapters"])]

WIDE = """() => [...document.querySelectorAll('.bd-article *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth)
  .map((element) => element.outerHTML.slice(0, 120))"""

CUT = """() => [...document.querySelectorAll('div.math')].filter((formula) =>
  [...formula.querySelectorAll('mi, mn, mo')].some((sign) => {
    const box = sign.getBoundingClientRect();
    return box.width && box.left < formula.getBoundingClientRect().left - 1;
  })).map((formula) => formula.textContent.slice(0, 120))"""

UNFOLD = """() => {
  document.querySelectorAll('details').forEach(fold => fold.open = true);
  return Promise.all(document.getAnimations().map(fading => fading.finished));
}"""  # the theme fades a fold in; half faded, its text has no contrast

DRAWN_BY = {"player": "canvas.lpp-stage"}  # all others are pictures of Vega's

every_page = pytest.mark.parametrize("page", PAGES)


@every_page
def test_it_asks_no_other_host_and_nothing_goes_wrong(look: Look, book: str, page: str) -> None:
    visit = look(f"{book}{page}.html").drawn()
    visit.page.wait_for_load_state("networkidle")
    assert len(visit.requests) > 10
    assert not [url for url in visit.requests if not url.startswith((book, "data:"))]
    assert not visit.errors


def predict(page: Page) -> None:
    """Answer every question of the page, somehow: what was measured is shown only then."""
    for figure in page.locator("figure[data-lp=predict]").all():
        for field in figure.locator("input[type=number]").all():
            field.fill(field.get_attribute("min") or "1")
        for choice in figure.locator("input[type=radio]").all()[:1]:
            choice.check()
        figure.get_by_role("button", name="Commit").click()
        figure.get_by_role("button", name="Try again").wait_for()
        assert figure.locator(".lp-verdict").inner_text()
        if figure.locator(".lp-view:not([hidden])").count():
            figure.locator(".role-mark").first.wait_for(state="attached")


@every_page
def test_every_figure_is_drawn_with_marks_that_can_be_seen(look: Look, book: str, page: str) -> None:
    visit = look(f"{book}{page}.html").drawn()
    predict(visit.page)
    for figure in visit.page.query_selector_all("figure.lp-figure"):
        name = figure.get_attribute("data-name")
        assert figure.get_attribute("data-state") == "drawn", f"{name}: {figure.inner_text()[:300]}"
        kind = figure.get_attribute("data-lp")
        if kind == "mystery":
            continue  # a game in words
        drawing = figure.query_selector(DRAWN_BY.get(kind, "[role=img]"))
        assert len((drawing.get_attribute("aria-label") or "").split()) > 3, name
        if kind == "predict" and not figure.query_selector(".lp-view:not([hidden])"):
            continue  # a question that is answered in words
        if kind != "player":
            assert figure.query_selector(".role-mark :is(path, text, line)"), f"{name}: no marks"
        shown = figure.screenshot()
        figure.evaluate("figure => figure.querySelector('svg, canvas.lpp-stage').style.visibility = 'hidden'")
        assert figure.screenshot() != shown, f"{name}: the same without its drawing"


@every_page
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (NARROW, False)], ids=["dark", "light and narrow"])
def test_axe_finds_nothing_serious(look: Look, book: str, page: str, width: int, dark: bool) -> None:
    visit = look(f"{book}{page}.html", dark=dark, width=width).drawn()
    visit.page.evaluate(UNFOLD)
    found = Axe().run(visit.page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    told = [f"{f['id']}: {f['help']}: {[node['html'][:200] for node in f['nodes'][:4]]}" for f in serious]
    assert not told, "\n".join(told)


@every_page
def test_a_narrow_screen_never_scrolls_sideways(look: Look, book: str, page: str) -> None:
    visit = look(f"{book}{page}.html", width=NARROW).drawn()
    visit.page.evaluate(UNFOLD)
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW, visit.page.evaluate(WIDE)
    assert not visit.page.evaluate(CUT), "a long formula shows its beginning; the rest scrolls"


def test_the_index_leads_to_every_term_of_the_glossary(look: Look, book: str) -> None:
    terms = look(f"{book}book/glossary.html").page.locator("dl.glossary > dt").all()
    expected = {f"book/glossary.html#{term.get_attribute('id')}" for term in terms}
    links = look(f"{book}genindex.html").page.locator(".genindextable a[href*='glossary.html#']").all()
    assert len(expected) > 200
    assert {link.get_attribute("href") for link in links} == expected


@pytest.mark.parametrize("chapter", [page for page in PAGES if page.startswith("chapters/")])
def test_a_chapter_has_the_number_in_its_files_name(look: Look, book: str, chapter: str) -> None:
    page = look(f"{book}{chapter}.html").page
    shown = page.locator(".bd-article :is(.section-number, .caption-number)").all_inner_texts()
    number = chapter.removeprefix("chapters/").partition("-")[0].lstrip("0")
    assert shown
    assert {re.search(r"\d+[a-z]?", text)[0] for text in shown} == {number}


@pytest.mark.parametrize(("page", "module"), [("api", "labkit"), ("api-figures", "labkit.charts")])
def test_every_public_name_can_be_linked_to(look: Look, book: str, page: str, module: str) -> None:
    shown = look(f"{book}book/{page}.html").page
    names = {f"{module}.{name}" for name in importlib.import_module(module).__all__} - {"labkit.charts"}
    assert not names - set(shown.evaluate("[...document.querySelectorAll('dt.sig')].map(one => one.id)"))


def test_the_arrows_of_a_room_stand_out_under_the_pointer(look: Look, book: str) -> None:
    page = look(f"{book}book/architecture.html").page
    room = page.locator(".lp-room", has_text="compile")
    arrow = room.locator("path.lp-weak").first
    opacity = "arrow => Number(getComputedStyle(arrow).opacity)"
    assert arrow.evaluate(opacity) < 0.5
    room.locator("rect").hover()
    assert arrow.evaluate(opacity) == 1
