"""The packet player in a notebook's HTML, without the site: its time, by the test's clock, and its places."""

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
def crowd(queue: str = "20p") -> Result:
    """Two senders; the queue of a -> b, which overflows, is as high as one of them."""
    access = {"rate": "100mbit", "delay": "2ms"}
    links = [
        *(Link(host, "a", **access) for host in ("near", "far")),
        Link("a", "b", rate="10mbit", delay="5ms", queue=queue),
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


OVERLAPS = """width => {
  const place = window.LabkitPlayer.layout(player.model, width);
  const hosts = [...place.hosts.values()].map(({name, x, y}) => ({name, x, y}));
  const lost = player.model.losses.map((loss) => window.LabkitPlayer.origin(place, loss.where));
  const [{x, y, width: wide}] = place.tubes;
  return {hosts, lost, tube: {x, y, right: x + wide}, height: place.height};
}"""


@pytest.mark.parametrize("width", [300, 360, 480, 640, 760, 1000])
def test_what_a_queue_loses_falls_on_no_host(page: Page, film: dict[str, Any], width: int) -> None:
    shown(page, film)
    found = page.evaluate(OVERLAPS, width)
    assert found["lost"]
    for loss in found["lost"]:
        assert 9 <= loss["x"] <= width - 9  # with the ring around it, on the canvas
        assert 0 < loss["y"] + 52 < found["height"]
        for host in found["hosts"]:
            beside = abs(loss["x"] - host["x"]) >= 9 + 13
            above = loss["y"] + 52 <= host["y"] - 9
            below = loss["y"] >= host["y"] + 30
            assert beside or above or below, (loss, host)


TOLD = """() => {
  const pen = CanvasRenderingContext2D.prototype, plain = pen.fillText, told = [];
  pen.fillText = function (text, x, ...rest) {
    if (text.startsWith("✕")) told.push([x, x + this.measureText(text).width, rest[0]]);
    return plain.call(this, text, x, ...rest);
  };
  document.querySelector("[title='Jump to the next loss']").click();
  pen.fillText = plain;
  const canvas = document.querySelector("canvas.lpp-stage");
  const place = window.LabkitPlayer.layout(player.model, canvas.clientWidth);
  return {told, height: place.height, x: window.LabkitPlayer.origin(place, player.model.losses[0].where).x};
}"""


@pytest.mark.parametrize("width", [360, 800])
@pytest.mark.parametrize("queue", ["20p", "codel"])
def test_words_about_a_queue_s_loss_are_beside_what_falls(page: Page, queue: str, width: int) -> None:
    """A full queue loses what comes, at its back; CoDel what goes, at its head."""
    page.set_viewport_size({"width": width, "height": 900})
    shown(page, crowd(queue).player(name="crowd").film)
    found = page.evaluate(TOLD)
    assert found["told"]
    for left, right, _ in found["told"]:
        assert 0 <= left < right <= width
        assert left >= found["x"] + 9 or right <= found["x"] - 9  # the ring around a chosen packet


@pytest.mark.parametrize("way", ["forward", "backward"])
def test_words_about_a_wire_s_loss_are_on_the_canvas(page: Page, way: str) -> None:
    """With no queue above or below them to make room."""
    link = Link("left", "right", rate="10mbit", delay="10ms", **{way: {"loss": "20%"}})
    result = run(Experiment(Topology(["left", "right"], [link]), flows=[Flow("left", "right", size="100kB")]))
    shown(page, result.player(name="wire").film)
    found = page.evaluate(TOLD)
    assert found["told"]
    for _, _, y in found["told"]:
        assert 8 <= y <= found["height"] - 8
