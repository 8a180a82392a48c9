"""The packet player in a notebook's HTML, without the site: its time, by the test's clock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from labkit import Experiment, Flow, Link, Topology, run
from labkit.player import notebook
from labkit.results.result import Result

FRAME_MS = 16  # of the test's clock, as Playwright has it
BEAT_MS = 500  # clock.js


#   near ---.          .--- right
#            a ------ b
#   far ----'          '--- other
def crowd() -> Result:
    """Two senders; the queue of a -> b, which overflows, is as high as one of them."""
    access = {"rate": "100mbit", "delay": "2ms"}
    links = [
        *(Link(host, "a", **access) for host in ("near", "far")),
        Link("a", "b", rate="10mbit", delay="5ms", queue="20p"),
        *(Link("b", host, **access) for host in ("right", "other")),
    ]
    flows = [Flow("near", "right", size="400kB"), Flow("far", "other", size="400kB")]
    return run(Experiment(Topology(["near", "far", "a", "b", "right", "other"], links), flows=flows))


@pytest.fixture(scope="module")
def film() -> dict[str, Any]:
    found: dict[str, Any] = crowd().player(name="crowd").film
    return found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 800, "height": 900}, offline=True) as context:
        yield context.new_page()


def shown(page: Page, film: dict[str, Any]) -> None:
    """The film alone in a page, which tests know as `player`."""
    page.set_content(f"<body>{notebook.page(film)}</body>")
    page.evaluate("window.player = document.querySelector('[data-mounted]').player")


def frames(page: Page, many: int) -> list[float]:
    """The times of the film (µs) at so many frames, by the test's clock, from the moment it plays."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.evaluate("player.toggle()")
    times = []
    for _ in range(many):
        page.clock.run_for(FRAME_MS)
        times.append(float(page.evaluate("player.state().t")))
    return times


def test_the_speed_is_virtual_by_real_time(page: Page, film: dict[str, Any]) -> None:
    shown(page, film)
    page.get_by_label("Speed").select_option("1 s = 5 ms")
    times = frames(page, 30)
    assert {round(after - before, 6) for before, after in pairwise(times)} == {FRAME_MS * 1e3 * 0.005}


def test_without_motion_it_goes_in_steps(page: Page, film: dict[str, Any]) -> None:
    page.emulate_media(reduced_motion="reduce")
    shown(page, film)
    times = frames(page, 4 * BEAT_MS // FRAME_MS)
    steps = [number for number, (before, after) in enumerate(pairwise(times)) if after != before]
    assert len(steps) == 3  # of two seconds; the first beat begins with the first frame
    beat = -(-BEAT_MS // FRAME_MS)  # frames
    assert {after - before for before, after in pairwise(steps)} == {beat}
    moved = {round(times[n + 1] - times[n], 6) for n in steps}
    assert moved == {round(beat * FRAME_MS * 1e3 * film["speed"], 6)}


def test_a_frame_that_comes_late_counts_for_a_tenth_of_a_second(page: Page, film: dict[str, Any]) -> None:
    """As after a pause of the whole page: nobody saw the time between."""
    shown(page, film)
    (before,) = frames(page, 1)
    page.clock.fast_forward(5000)
    assert page.evaluate("player.state().t") == pytest.approx(before + 100e3 * film["speed"])
