"""Nothing jumps under a reader's finger: an explorer becomes live, runs and is dragged where it stands.

What moved is the browser's own measure (https://web.dev/articles/cls), counted also within half a second
of what the reader did, which that leaves out.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext

from tests.web.widgets.reader import opened

CHAPTER, EXPLORER = "01-a-network-in-a-notebook", "window"
MOST = 0.02  # a line of text that appears above half a screen; "good" is 0.1
WATCH = """() => {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const {value, sources} of list.getEntries()) {
      const names = sources.map(({node}) => node?.className || node?.nodeName);
      window.moved.push({value, names});
    }
  }).observe({type: "layout-shift"});
}"""


@pytest.mark.slow
@pytest.mark.parametrize(("width", "block"), [(1440, "start"), (1440, "end"), (390, "start")])
def test_a_press_a_run_and_a_drag_move_nothing(
    profile: BrowserContext,
    read_book: str,
    skip_unless_changed: Callable[[str], None],
    width: int,
    block: str,
) -> None:
    skip_unless_changed(f"chapters/{CHAPTER}")
    with opened(profile, read_book, CHAPTER, width=width) as reading:
        widget, page = reading.widget(EXPLORER), reading.page
        widget.figure.evaluate("(figure, block) => figure.scrollIntoView({block})", block)
        page.wait_for_timeout(1500)  # what is drawn as it comes into view is no answer to the reader
        page.evaluate(WATCH)
        widget.run_here()
        widget.wait_for_run(widget.words)
        slider, mouse = widget.figure.get_by_label("Loss", exact=True), page.mouse
        box = slider.bounding_box()
        assert box
        assert box["y"] > 0
        y = box["y"] + box["height"] / 2
        mouse.move(box["x"] + 0.5 * box["width"], y)
        mouse.down()
        for step in range(30):
            mouse.move(box["x"] + (0.5 + step / 100) * box["width"], y)
            page.wait_for_timeout(30)
        mouse.up()
        widget.wait_for_run(widget.words)
        page.wait_for_timeout(500)
        moved = page.evaluate("moved")
        assert sum(one["value"] for one in moved) < MOST, moved
        assert reading.faults == []
