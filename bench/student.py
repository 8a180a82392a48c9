"""One student of bench/classroom.py: a process with a notebook's widget, which is asked for a run when told.

    python -m bench.student     a line on stdin: a click; a line on stdout: click to figure (s)

It stands for the kernel behind a notebook. The browser and JupyterLab's server are not part of it.
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

from labkit.results.result import Result
from labkit.spec import Experiment, Flow, Link, Topology

if TYPE_CHECKING:
    from labkit.widgets.live_explorer import LiveExplorer


#   left ---- router ------------------- right
#       10 ms       10 Mbit/s, 15 ms, loss ->
def chapter_1(cc: str, loss: str) -> Experiment:
    """What chapter 1 begins with: a minute of one flow."""
    wire = {"rate": "10mbit", "delay": "15ms", "forward": {"loss": loss}}
    links = [Link("left", "router", delay="10ms"), Link("router", "right", **wire)]
    flow = Flow("left", "right", cc=cc, duration="60s")
    return Experiment(Topology(["left", "router", "right"], links), flows=[flow])


def explorer() -> LiveExplorer:
    """Its knobs, and a button."""
    from labkit import charts
    from labkit.widgets import explore

    def chart(result: Result) -> object:
        return charts.goodput(result)

    knobs = {"cc": ["cubic", "reno"], "loss": ["1%", "5%"]}
    live: LiveExplorer = explore(chapter_1, knobs, chart=chart, start="button").live
    return live


def click(live: LiveExplorer) -> float:
    """Seconds until the figure is there; the result is forgotten, so that the next click runs it again."""
    live.results.clear()
    started = time.perf_counter()
    live.hear({"run": 1, "values": {}, "seed": None, "words": ""})
    live.runner.join()
    took = time.perf_counter() - started
    if not live.results:
        raise RuntimeError("no figure")
    shutil.rmtree(live.results[0].folder)
    return took


def main() -> None:
    """Until stdin ends."""
    live = explorer()
    print("ready", flush=True)
    for _ in sys.stdin:
        print(click(live), flush=True)


if __name__ == "__main__":
    main()
