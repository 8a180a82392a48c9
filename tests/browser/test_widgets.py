"""Explorers and predictions on the site: a small book of recordings, turned by mouse and keyboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat import v4
from playwright.sync_api import Browser, Locator, Page, expect

from bench.browser import served
from labkit import Slider, Toggle, explore, predict
from labkit.charts import EmptyFigureError
from tests.browser import pages
from tests.browser.conftest import Look, Visit
from tests.ran import Ran, made, recording, saw

EXPLORER = "application/vnd.labkit.explorer+json"
NO_BREAK = "\u00a0"
RING, THIS_RUN = "transparent", "#D55E00"
# Where the rectangle that a plot's points are in is on the screen.
PLOT = """path => {
  const [box, to] = [path.getBBox(), path.getScreenCTM()];
  return [box.x + to.e, box.y + to.f, box.width, box.height];
}"""


def gaps(result: Ran) -> alt.LayerChart:
    if result.loss == 0.01:
        raise EmptyFigureError("gaps: nothing to draw")
    return saw(result)


def bundles() -> list[dict[str, Any]]:
    """What the cells of the chapter hold."""

    def goodputs(results: list[Ran]) -> list[float]:
        return [float(result.goodput().iloc[0]) for result in results]

    loss = Slider("0%", "1%", "5%")
    runs = [made(loss=loss) for loss in ("0%", "10%", "50%")]
    each = {cc: made(cc) for cc in ("reno", "cubic")}
    told = {"reno": "Reno is older.", "cubic": "Cubic is newer."}
    unit = {"unit": "Mbit/s", "between": (0, 10)}
    with recording():
        widgets = [
            explore(made, cc=["reno", "cubic"], loss=loss, chart=saw, name="saw"),
            explore(made, cc=Toggle("reno", "cubic", label="Cubic"), loss=loss, chart=gaps, name="gaps"),
            predict("How much?", runs[2], lambda r: goodputs([r])[0], after="So it is.", name="much", **unit),
            predict(
                "Which?",
                each,
                lambda results: "cubic",
                choices=told,
                chart=lambda r: saw(r["reno"]),
                name="which",
            ),
            predict("How?", runs, goodputs, x=[0, 10, 50], x_title="Loss (%)", name="how", **unit),
            predict("With words?", runs[:2], goodputs, x=["none", "some"], name="words", **unit),
            predict("Which seed?", made().replace(seed=1), lambda r: r.experiment.seed, name="seeds"),
        ]
        found = [widget._repr_mimebundle_() for widget in widgets]
    older = {EXPLORER: {**found[0][EXPLORER], "format": 0, "name": "older"}, "text/plain": "older"}
    return [*found, older, {pages.MIME: pages.chart("after"), "text/plain": "A chart"}]


def chapter() -> nbformat.NotebookNode:
    cells = [v4.new_markdown_cell("# Widgets", id="title")]
    for number, bundle in enumerate(bundles()):
        output = v4.new_output("execute_result", bundle, execution_count=1)
        cells.append(v4.new_code_cell("widget", outputs=[output], execution_count=1, id=f"cell-{number}"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


@pytest.fixture(scope="module")
def widgets(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page with all of them."""
    folder = tmp_path_factory.mktemp("widgets")
    pages.write(folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters: [{file: widgets}]\n")
    nbformat.write(chapter(), folder / "widgets.ipynb")
    done = pages.build(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    with served(Path(folder) / "_build/html") as address:
        yield address + "widgets.html"


@pytest.fixture
def visit(look: Look, widgets: str) -> Visit:
    return look(widgets).drawn()


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit.page


def lines(figure: Locator) -> list[str]:
    """The shapes of all curves in a figure's drawing."""
    paths = figure.locator(".lp-view svg .mark-line path")
    return [str(path.get_attribute("d")) for path in paths.all()]


def runs(figure: Locator) -> list[str]:
    return [text.replace(NO_BREAK, " ") for text in figure.locator(".lp-runs li").all_inner_texts()]


def dots(figure: Locator) -> dict[str | None, int]:
    """How many dots there are of each fill."""
    marks = figure.locator(".lp-dots-view .mark-symbol.role-mark path").all()
    return Counter(mark.get_attribute("fill") for mark in marks)


def dots_said(figure: Locator) -> str:
    view = figure.locator(".lp-dots-view")
    told = figure.locator(f"id={view.get_attribute('aria-describedby')}").text_content()
    return str(told).replace(NO_BREAK, " ")


def spoken(figure: Locator) -> Locator:
    return figure.locator(".lp-spoken")


def test_a_knob_changes_the_picture_and_keeps_the_one_before_and_no_more(page: Page) -> None:
    figure = page.locator("#saw")
    before = lines(figure)
    assert runs(figure) == [
        "This run: Congestion control reno, Loss 0 %. Goodput: 10 Mbit/s; Retransmitted: 0 segments"
    ]
    figure.get_by_label("Congestion control").select_option("cubic")
    expect(figure.locator(".lp-runs li")).to_have_count(2)
    figure.get_by_label("Loss").press("End")
    expect(figure.locator(".lp-runs li").first).to_contain_text("cubic, Loss 5 %")
    expect(figure.locator(".lp-view svg .mark-line path")).to_have_count(4)
    assert runs(figure)[0].endswith("cubic, Loss 5 %. Goodput: 9.5 Mbit/s; Retransmitted: 50 segments")
    [before_it] = runs(figure)[1:]
    assert before_it.startswith("Before: Congestion control cubic, Loss 0 %.")
    dashes = {path.get_attribute("stroke-dasharray") for path in figure.locator(".mark-line path").all()}
    assert "6,3" in dashes
    assert "2,3" not in dashes
    figure.get_by_role("button", name="Forget earlier runs").click()
    expect(figure.locator(".lp-view svg .mark-line path")).to_have_count(2)
    assert lines(figure) != before
    assert len(runs(figure)) == 1


def test_a_result_stands_against_the_knob_that_was_moved_with_what_was_recorded(page: Page) -> None:
    figure = page.locator("#saw")
    knob = figure.get_by_label("Knob on the x axis")
    expect(knob).to_have_value("loss")
    assert dots(figure) == {RING: 3, THIS_RUN: 1}
    assert dots_said(figure) == (
        "Goodput against Loss, with Congestion control reno. This run: Loss 0 %: 10 Mbit/s. "
        "Recorded: Loss 0 %: 10 Mbit/s; Loss 1 %: 9.9 Mbit/s; Loss 5 %: 9.5 Mbit/s."
    )
    figure.get_by_label("Congestion control").select_option("cubic")
    expect(knob).to_have_value("cc")
    expect(figure.locator(".lp-dots-view .mark-symbol.role-mark path")).to_have_count(3)
    assert "This run: Congestion control cubic: 10 Mbit/s." in dots_said(figure)
    figure.get_by_label("Loss").press("End")
    expect(knob).to_have_value("loss")
    knob.select_option("Congestion control")
    figure.get_by_label("Result on the y axis").select_option("Retransmitted")
    expect(figure.locator(".lp-dots-view")).to_contain_text("Retransmitted (segments)")
    assert dots_said(figure).startswith("Retransmitted against Congestion control, with Loss 5 %.")


def test_a_dragged_slider_keeps_where_it_was_let_go_only(page: Page) -> None:
    figure = page.locator("#saw")
    slider = figure.get_by_label("Loss")
    for stop, event in [(1, "input"), (2, "input"), (2, "change")]:
        slider.evaluate("(s, [v, e]) => { s.value = v; s.dispatchEvent(new Event(e)) }", [stop, event])
    expect(figure.locator(".lp-runs li")).to_have_count(2)
    assert "Loss 5 %" in runs(figure)[0]
    assert "Loss 0 %" in runs(figure)[1]


def test_the_keyboard_is_enough_and_what_changed_is_said(page: Page) -> None:
    figure = page.locator("#saw")
    figure.get_by_label("Congestion control").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    slider = figure.get_by_role("slider", name="Loss")
    expect(slider).to_be_focused()
    assert slider.get_attribute("aria-valuetext") == f"0{NO_BREAK}%"
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == f"1{NO_BREAK}%"
    expect(spoken(figure)).to_contain_text("cubic, Loss 1 %. Goodput: 9.9 Mbit/s")
    expect(spoken(figure)).to_contain_text("cubic, lost: 0.01.")
    assert spoken(figure).get_attribute("aria-live") == "polite"
    assert figure.locator(".lp-view").get_attribute("aria-label") == "cubic, lost: 0.01."
    page.keyboard.press("Tab")
    expect(figure.get_by_role("button", name="Forget earlier runs")).to_be_focused()
    page.keyboard.press("Enter")
    expect(figure.locator(".lp-runs li")).to_have_count(1)


@pytest.mark.parametrize("selector", ["#saw select", "#saw input[type=range]", "#much input", "#much button"])
def test_focus_is_seen(page: Page, selector: str) -> None:
    page.keyboard.press("Tab")  # the browser shows focus to those who use the keyboard
    page.locator(selector).first.focus()
    outline = page.locator(selector).first.evaluate(
        "e => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth"
    )
    assert outline == "solid3px"


def test_a_run_without_a_figure_says_why_and_the_others_go_on(page: Page) -> None:
    figure = page.locator("#gaps")
    figure.get_by_label("Loss").press("ArrowRight")
    expect(figure.locator(".lp-error")).to_have_text("gaps: nothing to draw")
    expect(figure.locator(".lp-view")).to_be_hidden()
    figure.get_by_label("Loss").press("ArrowRight")
    expect(figure.locator(".lp-error")).to_be_hidden()
    expect(figure.locator(".lp-view svg")).to_be_visible()
    figure.get_by_role("switch", name="Cubic").press("Space")
    expect(figure.locator(".lp-runs li").first).to_contain_text("Cubic on, Loss 5 %")


def test_a_recording_of_another_labkit_says_so_and_the_page_goes_on(page: Page) -> None:
    error = page.locator("#older .lp-error")
    expect(error).to_contain_text("recorded by another labkit (format 0, this page reads 2)")
    expect(page.locator("#older .lp-table")).to_have_count(1)
    expect(page.locator("#after svg")).to_be_visible()


def test_a_value_is_shown_after_it_was_committed_and_not_before(page: Page) -> None:
    figure = page.locator("#much")
    field, commit = figure.get_by_label("Your prediction"), figure.get_by_role("button", name="Commit")
    expect(figure.locator(".lp-table")).to_be_hidden()
    assert "5 Mbit/s" not in figure.inner_text()
    commit.click()
    expect(figure.locator(".lp-verdict")).to_have_text("Say a number between 0 and 10 first.")
    field.fill("95")
    commit.click()
    expect(figure.locator(".lp-verdict")).to_have_text("Say a number between 0 and 10 first.")
    field.fill("9.5")
    field.press("Enter")
    expect(figure.locator(".lp-verdict")).to_have_text("You said 9.5 Mbit/s; measured 5 Mbit/s: half of it.")
    expect(figure.get_by_text("So it is.")).to_be_visible()
    expect(figure.locator(".lp-view svg .mark-rect path")).to_have_count(2)
    expect(figure.locator(".lp-table")).to_be_visible()
    expect(field).to_be_disabled()
    expect(figure.get_by_role("button", name="Try again")).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    expect(figure.locator(".lp-verdict")).to_have_text("")
    expect(figure.locator(".lp-view").first).to_be_hidden()


def test_how_far_seeds_differ_is_shown_and_told_once_it_was_committed(page: Page) -> None:
    figure = page.locator("#seeds")
    assert "Repeated" not in figure.inner_text()
    figure.get_by_label("Your prediction").fill("2")
    figure.get_by_role("button", name="Commit").click()
    told = figure.get_by_text("Repeated with 20 different seeds: 1 to 19,001, with a median of 9,501.")
    expect(told).to_be_visible()
    assert told.evaluate("e => e.closest('[aria-live]').getAttribute('aria-live')") == "polite"
    expect(figure.locator(".lp-view svg .mark-rect path")).to_have_count(2 + 20)  # bars, and a tick for each
    figure.get_by_role("button", name="Try again").click()
    assert "Repeated" not in figure.inner_text()


def test_a_choice_gets_its_own_feedback_and_the_chart(page: Page) -> None:
    figure = page.locator("#which")
    figure.get_by_role("button", name="Commit").click()
    expect(figure.locator(".lp-verdict")).to_have_text("Choose an answer first.")
    figure.get_by_role("radio", name="reno").check()
    page.keyboard.press("Enter")
    expect(figure.locator(".lp-verdict")).to_have_text("You said reno; measured: cubic.")
    expect(figure.get_by_text("Reno is older.")).to_be_visible()
    expect(figure.get_by_role("img", name="reno, lost: 0.")).to_be_visible()
    figure.get_by_role("button", name="Try again").click()
    figure.get_by_role("radio", name="cubic").check()
    figure.get_by_role("button", name="Commit").click()
    expect(figure.locator(".lp-verdict")).to_have_text("You said cubic, and so it is.")


def test_a_curve_is_drawn_by_pointing(page: Page) -> None:
    figure = page.locator("#how")
    figure.scroll_into_view_if_needed()
    left, top, width, height = figure.locator(".lp-view svg .background").first.evaluate(PLOT)
    for share, level in [(0.01, 0.2), (0.2, 0.5), (0.98, 0.9)]:
        page.mouse.move(left + share * width, top)
        page.mouse.down()
        page.mouse.move(left + share * width, top + level * height, steps=3)
        page.mouse.up()
    said = [float(field.input_value()) for field in figure.get_by_role("spinbutton").all()]
    assert said == pytest.approx([8, 5, 1], abs=0.3)
    figure.get_by_role("button", name="Commit").click()
    expect(figure.locator(".lp-verdict")).to_contain_text(
        "Near at 0 of 3 points. Farthest off where Loss (%) is"
    )
    page.mouse.click(left + width / 2, top + height / 2)
    assert [float(field.input_value()) for field in figure.get_by_role("spinbutton").all()] == said


def test_a_curve_is_drawn_by_keyboard(page: Page) -> None:
    figure = page.locator("#words")
    figure.get_by_label("none").fill("9")
    figure.get_by_label("some").fill("9")
    expect(figure.locator(".lp-view svg .mark-symbol.role-mark path")).to_have_count(2)
    figure.get_by_label("some").press("Enter")
    verdict = figure.locator(".lp-verdict")
    expect(verdict).to_contain_text("Near at 2 of 2 points. Farthest off where x is none: you said 9 Mbit/s;")
    expect(verdict).to_contain_text("measured 10 Mbit/s: a little more.")
    expect(figure.locator(".lp-view svg .mark-symbol.role-mark path")).to_have_count(4)


def act(page: Page) -> None:
    """Use every widget."""
    page.locator("#saw").get_by_label("Loss").press("End")
    page.locator("#much").get_by_label("Your prediction").fill("3")
    page.locator("#which").get_by_role("radio", name="reno").check()
    for name in ("much", "which"):
        page.locator(f"#{name}").get_by_role("button", name="Commit").click()
    expect(page.locator("#which .lp-verdict")).not_to_be_empty()
    expect(page.locator("#saw .lp-runs li")).to_have_count(2)


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(look: Look, widgets: str, dark: bool) -> None:
    page = look(widgets, dark=dark).drawn().page
    act(page)
    found = Axe().run(page, context="main").response["violations"]
    serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    assert not serious, [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in serious]


def test_a_narrow_screen_is_wide_enough(look: Look, widgets: str) -> None:
    page = look(widgets, width=360).drawn().page
    act(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for one in page.locator(".lp-figure :is(input, select, button):visible").all():
        box = one.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360


def test_nothing_is_asked_of_another_host_and_nothing_goes_wrong(visit: Visit, widgets: str) -> None:
    act(visit.page)
    host = widgets.rpartition("/")[0]
    assert [url for url in visit.requests if not url.startswith((host, "data:", "blob:"))] == []
    assert visit.errors == []


def test_without_scripts_there_are_pictures_questions_and_answers(look: Look, widgets: str) -> None:
    page = look(widgets, scripts=False).page
    expect(page.locator("#saw img")).to_be_visible()
    page.locator("#saw summary").click()
    expect(page.locator("#saw table tbody tr")).to_have_count(6)
    expect(page.locator("#much figcaption")).to_have_text("How much?")
    expect(page.locator("#much table")).to_be_hidden()
    page.locator("#much summary").click()
    expect(page.locator("#much tbody")).to_have_text("5 Mbit/s")
