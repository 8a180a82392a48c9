"""Which kernel a page fetches: one with congestion controls of its chapter if an experiment names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from bench.browser import served
from tests import site
from tests.web.lab.lab_site import Counting, WithoutStacks, fresh
from tests.web.widgets.reader import PATIENCE_MS, Reading, opened

FIRST, WINDOW = "01-a-network-in-a-notebook", "window"
OWN, NUMBERS = "23-write-your-own", "explore-two-numbers"


@pytest.fixture(autouse=True)
def changed(request: pytest.FixtureRequest, skip_unless_changed: Callable[[str], None]) -> None:
    """Run again if the page or its laboratory is not as it was when this last passed."""
    skip_unless_changed(f"chapters/{request.node.callspec.params['stem']}")


@contextmanager
def alone(
    browser: Browser, book: Path, stem: str, handler: type[Counting]
) -> Iterator[tuple[Reading, Counter[str]]]:
    """A chapter for a new reader, without the service worker, which fetches all; what is asked for."""
    serving = fresh(handler)
    with (
        served(book, headers=site.policy(), handler=serving) as address,
        browser.new_context(service_workers="block") as context,
        opened(context, address, stem) as reading,
    ):
        yield reading, serving.asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stem", "name", "taken", "other"), [(FIRST, WINDOW, "plain", "own"), (OWN, NUMBERS, "own", "plain")]
)
def test_it_is_the_one_that_the_experiment_takes(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, stem: str, name: str, taken: str, other: str
) -> None:
    with alone(browser, site.book(tmp_path_factory), stem, Counting) as (reading, asked):
        widget = reading.widget(name).run_here()
        assert ": the same " in widget.wait_for_run(widget.words)
        assert (asked[taken], asked[other], asked["lab"]) == (1, 0, 0)
        assert reading.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("stem", [OWN])
def test_a_number_at_which_the_chapters_code_fails_is_told_and_the_next_one_runs(
    profile: BrowserContext, read_book: str, stem: str
) -> None:
    """With a factor of 1 for slow start the cell divides by zero. Typed numbers are compiled by Python."""
    with opened(profile, read_book, stem) as reading:
        widget = reading.widget(NUMBERS).run_here()
        times = widget.figure.locator(".lp-knob").filter(has_text="Times")
        times.locator("select").select_option(label="other …")
        times.locator("input").fill("1")
        times.locator("input").press("Enter")
        stopped = widget.place.get_by_text("The laboratory's kernel stopped (fault): divide by zero")
        expect(stopped).to_be_visible(timeout=PATIENCE_MS)
        times.locator("input").fill("4")
        times.locator("input").press("Enter")
        assert "Goodput" in widget.wait_for_run("Left 12, Times 4, Loss 0 %")


@pytest.mark.slow
@pytest.mark.parametrize("stem", [OWN])
def test_without_stacks_of_the_browser_the_recordings_are_shown_and_it_says_why(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, stem: str
) -> None:
    with alone(browser, site.book(tmp_path_factory), stem, WithoutStacks) as (reading, asked):
        widget = reading.widget(NUMBERS)
        widget.refused("the kernel with mine needs JavaScript Promise Integration, which this browser lacks")
        before = widget.words
        widget.figure.get_by_label("Left", exact=True).press("End")
        assert widget.words != before
        expect(widget.runs.first).to_contain_text(widget.words)
        assert not asked.keys() & {"own", "plain", "lab"}
        assert reading.faults == []
