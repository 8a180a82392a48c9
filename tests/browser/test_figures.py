"""Figures on the site: what a chart becomes, with scripts and without, and what is said of a broken one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Look
from tests.browser.figure_faults import cut_words
from tests.browser.pages import SAW

SmallBook = tuple[str, str]
SHAPES = ["window", "layers", "facets", "stack", "words", "knob", "wide", "figure-9-1"]
# Of each word in a chart its contrast with the page, from their relative luminances (WCAG 2.2).
CONTRASTS = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll('figure.lp-figure svg text')]
    .map((word) => light(getComputedStyle(word).fill))
    .map((word) => (Math.max(word, page) + 0.05) / (Math.min(word, page) + 0.05));
}"""
WIDTHS = """() => {
  const width = (element) => element.getBoundingClientRect().width;
  return Object.fromEntries([...document.querySelectorAll('figure.lp-figure')].map((figure) =>
    [figure.id, [width(figure.querySelector('svg')), width(figure.querySelector('.lp-view'))]]));
}"""


def widths(page: Page) -> dict[str, tuple[float, float]]:
    """Of each figure: its drawing's width and the room for it."""
    found: dict[str, tuple[float, float]] = page.evaluate(WIDTHS)
    return found


@pytest.mark.parametrize("width", [1280, 360])
def test_a_chart_of_any_shape_fits_the_screen(look: Look, small_book: SmallBook, width: int) -> None:
    found = widths(look(small_book[0] + "figures.html", width=width).drawn().page)
    assert list(found) == SHAPES
    assert found.pop("wide")[0] == (500 if width == 360 else found["window"][0]), "it scrolls within itself"
    for name, (drawn, room) in found.items():
        assert room - 40 < drawn <= room, name


def test_the_words_of_a_chart_are_whole_on_a_small_screen(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html", width=360).drawn().page
    lines = page.eval_on_selector_all("#words svg tspan", "all => all.map(one => one.textContent)")
    assert "with a long name" in lines, "a row's name goes on in the next line"
    assert not list(cut_words(page))
    page.evaluate("document.querySelector('#words .role-mark text').style.fontSize = '400px'")
    assert list(cut_words(page)) == ["words: “1000”"]


def test_charts_are_drawn_in_a_page_that_is_opened_as_a_file(
    look: Look, small_folder: tuple[Path, str]
) -> None:
    visit = look((small_folder[0] / "figures.html").as_uri()).drawn()
    states = visit.page.eval_on_selector_all("figure.lp-figure", "all => all.map(one => one.dataset.state)")
    assert states == ["drawn"] * len(SHAPES)
    assert not visit.errors


def test_a_chart_follows_when_the_window_gets_narrow(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    page.set_viewport_size({"width": 360, "height": 900})
    page.wait_for_function(
        """[...document.querySelectorAll('.lp-view')].every((view) =>
        view.scrollWidth <= view.clientWidth || view.hasAttribute('data-scrolls'))"""
    )
    assert max(room for _, room in widths(page).values()) < 360


def test_a_figure_has_its_description_its_caption_and_its_table(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    assert page.get_by_role("img", name="What window shows.").is_visible()
    assert page.locator("#window figcaption").inner_text() == "The caption of window."
    table = page.locator("#window table")
    assert not table.is_visible()
    page.locator("#window summary").click()
    assert table.locator("caption").inner_text() == "The caption of window."
    assert table.locator("th[scope=col]").all_inner_texts() == ["Time (s)", "cwnd (packets)"]
    assert table.locator("td").all_inner_texts() == ["0.5", "10", "19.5", "29"]


def test_a_chart_without_words_speaks_by_its_title_and_shows_its_data(
    look: Look, small_book: SmallBook
) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    assert page.get_by_role("img", name="A reader's own").is_visible()
    table = page.locator("#figure-9-1 table")
    page.locator("#figure-9-1 summary").click()
    assert table.locator("caption").inner_text() == f"A reader's own (60 of {len(SAW)} rows, evenly spaced)"
    assert table.locator("tbody tr").count() == 60
    assert table.locator("th").all_inner_texts() == ["cwnd", "flow", "time_s"], "a recording sorts its keys"
    assert table.locator("tbody tr").last.inner_text().split() == ["29", "b", "19.9"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_words_in_a_chart_can_be_read(look: Look, small_book: SmallBook, dark: bool) -> None:
    page = look(small_book[0] + "figures.html", dark=dark).drawn().page
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 50
    assert min(contrasts) > 4.5


def test_a_chart_turns_dark_with_the_page(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    fill = "getComputedStyle(document.querySelector('#window svg text')).fill"
    light = page.evaluate(fill)
    for _ in range(3):  # it goes round: as the system is, light, dark
        if page.evaluate("document.documentElement.dataset.theme") != "dark":
            page.locator(".theme-switch-button:visible").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(fill) != light


def test_paper_is_light(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html", dark=True).drawn().page
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(f"window.dispatchEvent(new Event('beforeprint')), {theme}") == "light"
    assert page.evaluate(f"window.dispatchEvent(new Event('afterprint')), {theme}") == "dark"


def test_what_is_far_below_waits_for_the_reader_and_is_a_picture_on_paper(
    look: Look, small_book: SmallBook
) -> None:
    visit = look(small_book[0] + "figures.html")
    waiting = visit.page.locator("figure.lp-figure:not([data-state])")
    visit.page.wait_for_load_state("networkidle")
    assert waiting.count() >= 2
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert waiting.locator(".lp-view > img").count() == waiting.count()
    visit.drawn()
    assert waiting.count() == 0
    assert visit.page.locator(".lp-view > img").count() == 0


def test_a_page_without_figures_loads_nothing_for_them(look: Look, small_book: SmallBook) -> None:
    visit = look(small_book[0] + "blocks.html")
    visit.page.wait_for_load_state("networkidle")
    assert not [url for url in visit.requests if re.search("vega|lostpackets|figure-", url)]


def test_a_broken_figure_says_so_and_the_others_are_drawn(look: Look, small_book: SmallBook) -> None:
    address, said = small_book
    visit = look(address + "broken.html").drawn()
    states = visit.page.eval_on_selector_all(
        "figure.lp-figure", "all => all.map(f => [f.id, f.dataset.state])"
    )
    failed = {"nonsense", "elsewhere"}
    names = ["before", "nonsense", "crooked", "elsewhere", "after"]
    assert dict(states) == {name: "failed" if name in failed else "drawn" for name in names}
    for name, why in {
        "nonsense": "$.mark is 'nonsense', which Vega-Lite does not know",
        "crooked": "row 1 of its table has 1 cells for 2 columns",
        "elsewhere": "it loads https://example.org/saw.json: put the data into the chart",
    }.items():
        assert f"Figure “{name}” is not complete: {why}" in visit.page.locator(f"#{name}").inner_text()
        assert re.search(rf"broken\.ipynb.*WARNING: figure '{name}' \(cell \d\): {re.escape(why)}", said)
    assert not [url for url in visit.requests if not url.startswith(address)]
    assert not visit.errors


def test_without_vega_every_figure_says_so_and_keeps_its_data(look: Look, small_book: SmallBook) -> None:
    page = look("about:blank").page
    page.route("**/vega-*.js", lambda route: route.abort())
    page.goto(small_book[0] + "figures.html#figure-9-1")
    page.wait_for_selector("#figure-9-1[data-state=failed]")
    why = "Figure “window” is not complete: Vega could not be loaded from this site"
    assert page.locator("#window .lp-error").inner_text() == why
    page.locator("#window summary").click()
    assert page.locator("#window table").is_visible()


def test_without_scripts_a_picture_of_each_chart_is_there(look: Look, small_book: SmallBook) -> None:
    visit = look(small_book[0] + "figures.html", scripts=False)
    visit.page.wait_for_load_state("networkidle")
    seen = "all => all.map((image) => image.naturalWidth > 500 && image.getBoundingClientRect().width > 500)"
    assert visit.page.eval_on_selector_all("figure.lp-figure img", seen) == [True] * len(SHAPES)


def test_drawing_again_replaces_the_data(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    draw = """async (rows) => {
      const figure = document.querySelector('#window');
      const spec = JSON.parse(figure.querySelector('.lp-data').textContent);
      const draws = [1, 2, 3].map((n) => LostPackets.draw(figure.querySelector('.lp-view'), spec,
        {data: {saw: rows.slice(0, n * 2)}}));
      const views = await Promise.all(draws);
      return [views.at(-1).data('saw').length, figure.querySelectorAll('svg').length];
    }"""
    assert page.evaluate(draw, SAW) == [6, 1]


def test_drawing_nonsense_is_an_error_to_who_asked(look: Look, small_book: SmallBook) -> None:
    page = look(small_book[0] + "figures.html").drawn().page
    draw = """LostPackets.draw(document.querySelector('#window .lp-view'), {mark: 'nonsense'})
        .then(() => 'drawn', (error) => error.constructor.name)"""
    assert page.evaluate(draw) != "drawn"
    good = "LostPackets.draw(document.querySelector('#layers .lp-view'), {mark: 'bar', data: {values: [{}]}})"
    assert page.evaluate(f"{good}.then(() => 'drawn')") == "drawn"
