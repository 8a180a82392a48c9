"""Predictions of the book measured in the page, one of each kind (kinds.py), LABKIT_LIVE=all all of them; and
with other seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, expect

from tests.web.widgets import reader
from tests.web.widgets.kinds import PREDICTIONS, REFUSED, ident, run_here
from tests.web.widgets.reader import Reading, Widget, opened

FIRST = "01-a-network-in-a-notebook"
VALUE = "guess-C"  # of the first chapter: it has tests of its own below
RUN = [
    (stem, held)
    for stem, held in PREDICTIONS
    if run_here(ident(stem, held["name"])) and ((stem, held["name"]) != (FIRST, VALUE) or reader.LONG)
]


def answer(widget: Widget, held: dict[str, Any]) -> None:
    """Something that may be said."""
    for field in widget.figure.locator(".lp-answers input[type=number]").all():
        low, high = held["low"], held["high"]
        field.fill(str(1 if low is None else (low + high) / 2))


def first_number(text: str) -> float:
    return float(text.replace(",", "").split()[0])


@pytest.mark.slow
@pytest.mark.parametrize(("stem", "held"), RUN, ids=[ident(stem, held["name"]) for stem, held in RUN])
def test_what_was_predicted_is_measured_here_on_commit(
    profile: BrowserContext, read_book: str, stem: str, held: dict[str, Any]
) -> None:
    which = ident(stem, held["name"])
    with opened(profile, read_book, stem) as reading:
        widget = reading.widget(held["name"])
        if which in REFUSED:
            widget.refused(REFUSED[which])
            return
        widget.run_here()
        answer(widget, held)
        widget.button("Commit").click()
        expect(widget.figure.locator(".lp-verdict")).not_to_be_empty()
        [line] = widget.wait_for_measurements(1)
        assert line.startswith("Here, with the recorded seed: ")
        said = line.partition(": ")[2]
        assert said.endswith(" (the same as recorded, to the bit)")
        if held["kind"] == "value" and held["measured"]:
            assert first_number(said) == pytest.approx(held["measured"], rel=0.005)  # three digits are said
        assert reading.faults == []


@pytest.fixture(autouse=True)
def changed(request: pytest.FixtureRequest, skip_unless_changed: Callable[[str], None]) -> None:
    """Run again if the page or its laboratory is not as it was when this last passed."""
    given = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    skip_unless_changed(f"chapters/{given.get('stem', FIRST)}")


@pytest.fixture
def first(profile: BrowserContext, read_book: str) -> Iterator[Reading]:
    with opened(profile, read_book, FIRST) as reading:
        yield reading


@pytest.mark.slow
def test_the_recorded_answer_is_instant_and_the_one_measured_here_takes_its_place(first: Reading) -> None:
    widget = first.widget(VALUE)
    widget.figure.get_by_label("Your prediction").fill("5")
    widget.button("Commit").click()
    expect(widget.figure.locator(".lp-verdict")).to_contain_text("measured 2.44 Mbit/s")
    assert [url for url in first.requests if "/_static/lab/" in url] == []
    widget.run_here()
    [line] = widget.wait_for_measurements(1)
    assert first_number(line.partition(": ")[2]) == 2.44
    widget.figure.get_by_label("Seeds").fill("5")
    widget.button("Measure it here").click()
    texts = widget.wait_for_measurements(2)
    assert [text.partition(": ")[0] for text in texts] == ["Here, with the recorded seed", "Here, seed 5"]
    assert len({text.partition(": ")[2] for text in texts}) > 1, "another seed is another run"
    last = texts[-1].partition(": ")[2]
    expect(widget.figure.locator(".lp-verdict")).to_contain_text(f"measured {last}")
    widget.button("Try again").click()
    expect(widget.place.locator(".lp-runs li")).to_have_count(0)
    expect(widget.place).to_contain_text("measured here when you commit")
    expect(widget.button("Measure it here")).to_be_disabled()


def test_a_measurement_is_cancelled_at_once_and_the_recorded_answer_stays(
    slow: BrowserContext, read_book: str
) -> None:
    with opened(slow, read_book, FIRST) as reading:
        widget = reading.widget(VALUE).run_here()
        widget.figure.get_by_label("Your prediction").fill("5")
        widget.button("Commit").click()
        expect(widget.figure.get_by_role("progressbar")).to_be_visible()
        widget.button("Cancel").click()
        expect(widget.figure.get_by_role("progressbar")).to_be_hidden()
        expect(widget.place.locator(".lp-runs li")).to_have_count(0)
        expect(widget.figure.locator(".lp-verdict")).to_contain_text("measured 2.44 Mbit/s")


def test_what_is_no_seed_is_refused_with_what_would_be_right(first: Reading) -> None:
    widget = first.widget(VALUE).run_here()
    widget.figure.get_by_label("Your prediction").fill("5")
    widget.button("Commit").click()
    widget.wait_for_measurements(1)
    for typed in ("-1", "one", "1-100", "3-1"):
        widget.figure.get_by_label("Seeds").fill(typed)
        widget.button("Measure it here").click()
        expect(widget.place.locator(".lp-error")).to_contain_text(f"Seeds: “{typed}”")
        expect(widget.figure.get_by_role("progressbar")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1000, False)])
def test_on_a_phone_and_for_axe(profile: BrowserContext, read_book: str, width: int, dark: bool) -> None:
    with opened(profile, read_book, FIRST, width=width, dark=dark) as reading:
        widget = reading.widget(VALUE).run_here()
        widget.figure.get_by_label("Your prediction").fill("5")
        open_ = Axe().run(reading.page, context="figure#guess-c").response["violations"]
        widget.button("Commit").click()
        widget.wait_for_measurements(1)
        done = Axe().run(reading.page, context="figure#guess-c").response["violations"]
        assert reading.page.evaluate("document.documentElement.scrollWidth") == width
    assert not [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in [*open_, *done]]
