"""From the click on a widget's button to the figure that a notebook draws."""

from __future__ import annotations

import functools
import shutil
from typing import TYPE_CHECKING

from bench.measure import Sample, Stopwatch
from labkit.results.result import Result
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell

if TYPE_CHECKING:
    from labkit.widgets.live_explorer import LiveExplorer


#   left ---- r1 ------------------------- r2 ---- right
#                10 Mbit/s, 10 ms each way
#                100 packets
def one_flow(cc: str) -> Experiment:
    """30 s of one flow that fills its queue again and again."""
    network = dumbbell(rate="10mbit", delay="10ms", queue="100p")
    flow = Flow("left", "right", cc=cc, duration="30s")
    return Experiment(network, flows=[flow], probes=["tcp_probe", "queue", "drops"])


@functools.cache
def explorer() -> LiveExplorer:
    """The widget, as a cell shows it: it stays while its button is pressed again."""
    from labkit import charts
    from labkit.widgets import explore

    def chart(result: Result) -> object:
        return charts.stacked(charts.cwnd(result), charts.queue(result))

    live: LiveExplorer = explore(one_flow, cc=["reno", "cubic"], chart=chart, start="button").live
    return live


def click() -> Sample:
    """Until the chart of cwnd and queue is handed to the front end; the run is not in the result cache."""
    live = explorer()
    live.results.clear()
    with Stopwatch() as watch:
        live.hear({"run": 1, "values": {}, "seed": None, "words": ""})
        live.runner.join()
    if not live.results:
        raise RuntimeError("no figure")
    result = live.results[0]
    shutil.rmtree(result.folder)
    return watch.sample(virtual_s=result.virtual_s)
