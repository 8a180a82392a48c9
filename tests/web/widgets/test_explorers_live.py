"""Explorers of the book run in the page, one of each kind (kinds.py), LABKIT_LIVE=all all of them; the real
book, served with its policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, expect

from labkit import run
from tests.web.widgets import reader
from tests.web.widgets.kinds import EXPLORERS, REFUSED, ident, run_here
from tests.web.widgets.reader import Reading, Widget, opened

FIRST, WINDOW = "01-a-network-in-a-notebook", "window"
RUN = [one for one in EXPLORERS if run_here(ident(*one))]
COMPARED = [(FIRST, WINDOW), ("06-flipped-bits", "explore-place"), ("14-the-knobs", "explore-window")]
LACKING = {
    "WebAssembly": "delete window.WebAssembly",
    "workers": "delete window.Worker",
}


@pytest.mark.slow
@pytest.mark.parametrize(("stem", "name"), RUN, ids=[ident(*one) for one in RUN])
def test_each_knob_takes_a_value_that_was_not_recorded(
    profile: BrowserContext, read_book: str, stem: str, name: str
) -> None:
    which = ident(stem, name)
    with opened(profile, read_book, stem) as reading:
        widget = reading.widget(name)
        if which in REFUSED:
            widget.refused(REFUSED[which])
            return
        widget.run_here()
        widget.turn_all()
        words = widget.words
        said = widget.wait_for_run(words)
        assert ": " in said.partition(words)[2], "it says what was measured"
        expect(widget.figure.locator(".lp-view svg").first).to_be_visible()
        if (stem, name) in COMPARED:
            compare(widget, stem, name)
        expect(widget.figure.locator(":scope > .lp-error")).to_be_hidden()
        assert reading.faults == []


def compare(widget: Widget, stem: str, name: str) -> None:
    """What was run here is what the guest measures."""
    goodput, flows = widget.table("goodput"), widget.table("flows")
    has_seed = widget.figure.locator(".lp-seed").count() > 0
    guest = run(widget.experiment(stem, 4 if has_seed else None))
    assert [float(row["goodput"]) for row in goodput] == pytest.approx(list(guest.goodput()), rel=1e-9)
    assert [float(row["retransmits"]) for row in flows] == list(guest.flows["retransmits"])


@pytest.fixture(autouse=True)
def changed(request: pytest.FixtureRequest, skip_unless_changed: Callable[[str], None]) -> None:
    """Run again if the page or its laboratory is not as it was when this last passed."""
    given = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    skip_unless_changed(f"chapters/{given.get('stem', FIRST)}")


@pytest.fixture
def first(profile: BrowserContext, read_book: str) -> Iterator[Reading]:
    with opened(profile, read_book, FIRST) as reading:
        yield reading


def test_nothing_of_the_laboratory_is_fetched_while_the_figure_is_far(first: Reading) -> None:
    """What is fetched of a figure that is near: tests/browser/test_downloads.py."""
    first.page.wait_for_load_state("networkidle")
    assert [url for url in first.requests if "/_static/lab/" in url] == []
    assert first.faults == []


@pytest.mark.slow
def test_a_run_is_cancelled_at_once_and_can_be_begun_again(slow: BrowserContext, read_book: str) -> None:
    with opened(slow, read_book, FIRST) as reading:
        widget = reading.widget(WINDOW)
        recorded = widget.runs.all_inner_texts()
        widget.run_here()
        for _ in range(2):
            expect(widget.figure.get_by_role("progressbar")).to_be_visible()
            expect(widget.figure.locator(".lp-clock")).to_contain_text("of 60 s")
            widget.button("Cancel").click()
            expect(widget.figure.get_by_role("progressbar")).to_be_hidden()
            expect(widget.place).to_contain_text("Cancelled.")
            assert widget.runs.all_inner_texts() == recorded
            expect(widget.button("Run it again")).to_be_focused()
            widget.button("Run it again").click()
        assert reading.faults == []


@pytest.mark.slow
def test_a_run_equals_the_recording_is_shown_beside_others_and_kept(first: Reading) -> None:
    """What a reader does with one widget, in one go."""
    widget = first.widget(WINDOW)
    recorded = widget.runs.first.inner_text()
    widget.run_here()
    said = widget.wait_for_run(widget.words)
    assert said.startswith(recorded)
    assert said.endswith(": the same as recorded, to the bit)")
    assert widget.figure.evaluate("figure => figure.contains(document.activeElement)"), "where the button was"
    expect(widget.runs).to_have_count(1)
    [goodput] = widget.table("goodput")
    assert float(goodput["goodput"]) == pytest.approx(reader.number_after("Goodput", said), rel=0.005)

    widget.figure.get_by_label("Loss", exact=True).press("End")
    widget.wait_for_run("Loss 5 %, Delay 15 ms")
    expect(widget.runs).to_have_count(2)
    assert widget.runs.nth(1).inner_text() == f"Before: {said.removeprefix('This run: ')}"
    expect(widget.figure.locator(".lp-spoken")).to_contain_text("Goodput")
    with first.page.expect_download(timeout=reader.PATIENCE_MS) as saved:
        widget.button("Save capture (.pcapng)").click()
    assert saved.value.suggested_filename.endswith(".pcapng")
    capture = Path(saved.value.path()).read_bytes()
    assert capture[:4] == b"\x0a\x0d\x0d\x0a"
    assert len(capture) > 500_000


@pytest.mark.slow
def test_every_run_leaves_a_dot_until_it_is_forgotten(first: Reading) -> None:
    """Other seeds at the same place, too; a reload forgets none, "Forget what I did here" all."""
    widget = first.widget(WINDOW).run_here()
    widget.wait_for_run(widget.words)
    for seed in (2, 3):
        field = widget.figure.get_by_label("Seed", exact=True)
        field.fill(str(seed))
        field.press("Enter")
        assert "recorded" not in widget.wait_for_run(f"{widget.words}, seed {seed}")
    assert widget.dots(7) == {"recorded": 4, "run here": 2, "this run": 1}
    assert widget.dots_said.count("Loss 1 %") == 4  # three of them run here, one recorded
    assert "This run: Loss 1 %, seed 3: " in widget.dots_said

    first.page.reload()
    again = first.widget(WINDOW)
    assert again.dots(7) == {"recorded": 4, "run here": 2, "this run": 1}
    assert "Loss 1 %, seed 2: " in again.dots_said
    first.page.goto(first.page.url.partition("chapters/")[0] + "book/intro.html")
    first.page.get_by_role("button", name="Forget what I did here").click()
    first.page.go_back()
    assert first.widget(WINDOW).dots(5) == {"recorded": 4, "this run": 1}
    assert first.faults == []


@pytest.mark.slow
def test_of_several_turns_the_last_is_shown_in_the_end(first: Reading) -> None:
    widget = first.widget(WINDOW).run_here()
    typed = widget.figure.get_by_label("Loss, typed")
    for text in ("1.1%", "1.2%", "1.37"):
        typed.fill(text)
        typed.press("Enter")
    widget.wait_for_run("Loss 1.37 %, Delay 15 ms")
    typed.fill("2%")
    typed.press("Enter")
    widget.wait_for_run("Loss 2 %, Delay 15 ms")
    typed.fill("1.37%")
    typed.press("Enter")
    widget.wait_for_run("Loss 1.37 %, Delay 15 ms")  # it is at hand
    widget.button("Forget earlier runs").click()
    expect(widget.runs).to_have_count(1)
    expect(widget.runs.first).to_contain_text("Loss 1.37 %")


# What is shown of the figure, each time that it is another: the latest run, whether there is a picture.
WATCH = """figure => {
  window.seen = [];
  const look = () => {
    const said = figure.querySelector(".lp-runs li").textContent;
    const now = [said, figure.querySelector(".lp-view svg") !== null];
    if (JSON.stringify(now) !== JSON.stringify(window.seen.at(-1))) window.seen.push(now);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.slow
def test_a_knob_that_is_dragged_answers_while_it_moves_and_ends_at_the_last_value(first: Reading) -> None:
    widget = first.widget(WINDOW).run_here()
    widget.wait_for_run(widget.words)
    widget.figure.evaluate(WATCH)
    slider, mouse = widget.figure.get_by_label("Loss", exact=True), first.page.mouse
    box = slider.bounding_box()
    assert box
    start, stop = box["x"] + box["width"] / 2, box["x"] + 0.9 * box["width"]
    mouse.move(start, box["y"] + box["height"] / 2)
    mouse.down()
    moves = 0
    while len({said for said, _ in first.page.evaluate("seen")}) < 4:
        moves += 1
        assert moves < 1000, "nothing is shown while it moves"
        mouse.move(start + (stop - start) * (moves % 50) / 50, box["y"] + box["height"] / 2)
    mouse.move(stop, box["y"] + box["height"] / 2)
    mouse.up()
    last = widget.wait_for_run(widget.words)
    first.page.wait_for_timeout(1000)
    assert widget.runs.first.inner_text() == last, "nothing comes behind the last value"
    seen = first.page.evaluate("seen")
    assert all(is_drawn for _, is_drawn in seen), "the picture never goes"
    assert len(seen) < moves, "what was passed by is not run"
    expect(widget.runs).to_have_count(2)  # the last one, and where it was dragged from
    assert first.faults == []


WRONG = {
    "700%": "Loss: it goes from",
    "much": "Loss: write a number, as in 5 %.",
    "": "Loss: write a number",
}


def test_what_cannot_be_is_said_once_and_nothing_runs(first: Reading) -> None:
    widget = first.widget(WINDOW).run_here()
    widget.wait_for_run(widget.words)
    field = widget.figure.get_by_label("Loss, typed")
    alert = widget.figure.locator(".lp-controls .lp-error:visible")
    for typed, said in WRONG.items():
        field.fill(typed)
        field.press("Enter")
        expect(alert).to_have_count(1)
        expect(alert).to_contain_text(said)
        expect(field).to_have_attribute("aria-invalid", "true")
        first.page.wait_for_timeout(600)
        expect(widget.figure.get_by_role("progressbar")).to_be_hidden()
        field.fill("1%")
        field.press("Enter")
        expect(alert).to_have_count(0)


@pytest.mark.parametrize("lacking", LACKING)
def test_a_browser_that_cannot_says_so_and_shows_the_recordings(
    browser: Browser, read_book: str, lacking: str
) -> None:
    with browser.new_context() as context:
        context.add_init_script(LACKING[lacking])
        with opened(context, read_book, FIRST) as reading:
            widget = reading.widget(WINDOW)
            expect(widget.place).to_contain_text("This browser cannot run it here")
            expect(widget.button("Run it here")).to_have_count(0)
            widget.figure.get_by_label("Loss").press("End")
            expect(widget.runs.first).to_contain_text("Loss 5 %")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1000, False)])
def test_on_a_phone_and_for_axe(
    profile: BrowserContext, slow: BrowserContext, read_book: str, width: int, dark: bool
) -> None:
    with opened(slow, read_book, FIRST, width=width, dark=dark) as reading:
        widget = reading.widget(WINDOW).run_here()
        expect(widget.figure.get_by_role("progressbar")).to_be_visible()
        running = Axe().run(reading.page, context="figure#window").response["violations"]
        fits(widget, width)
    with opened(profile, read_book, FIRST, width=width, dark=dark) as reading:
        widget = reading.widget(WINDOW).run_here()
        widget.wait_for_run(widget.words)
        widget.figure.locator("details.lp-keep summary").click()
        field = widget.figure.get_by_label("Loss, typed")
        field.fill("much")
        field.press("Enter")
        rested = Axe().run(reading.page, context="figure#window").response["violations"]
        fits(widget, width)
    assert not [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in [*running, *rested]]


def fits(widget: Widget, width: int) -> None:
    """Nothing that can be pressed lies beyond the page's edges."""
    assert widget.reading.page.evaluate("document.documentElement.scrollWidth") == width
    for one in widget.figure.locator(":is(input, select, button, summary):visible").all():
        box = one.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
