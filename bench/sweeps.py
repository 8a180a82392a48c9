"""What a sweep costs: the thesis's figure 26 as a whole, and what a second worker is worth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from bench.measure import Sample, Stopwatch
from labkit.results.run import run
from labkit.spec import Experiment, Flow, Link, Topology
from labkit.sweeps import Sweep
from labkit.sweeps.sweeping import sweep

LOSS, CC = "links.router-A.forward.loss", "flows.cc"
GRID = {LOSS: [f"{percent}%" for percent in range(11)], CC: ["reno", "cubic", "htcp"]}
SEEDS = 3
_OF_ONE_ROUND = {LOSS: GRID[LOSS][::2], CC: GRID[CC]}


#   C ------ router ------ A      10 Mbit/s, 2.5 ms each way, 100 packets; MTU 1400
#                   loss ->
def thesis() -> Experiment:
    """25 MB, as three algorithms send it at 0 to 10 % of loss. The thesis states no RTT: 10 ms here."""
    each = {"rate": "10mbit", "delay": "2.5ms", "queue": "100p", "mtu": 1400}
    network = Topology(["A", "router", "C"], [Link("C", "router", **each), Link("router", "A", **each)])
    return Experiment(network, flows=[Flow("C", "A", size="25MB")], probes=[])


def figure_26() -> Sample:
    """99 runs, none of whose results is at hand. virtual_s: what they take one after another on a network."""
    first = thesis().replace(flows=[Flow("C", "A", size="1MB")])
    run(first, cache=False)  # kernel and programs are in memory from here on
    with Stopwatch() as watch:
        swept = sweep(thesis(), GRID, SEEDS, cache=False)
    return watch.sample(virtual_s=_virtual_s(swept))


def scaling() -> Sample:
    """How many times longer one worker takes than two, guests started and ended."""
    seconds = {}
    for workers in (2, 1):
        with ThreadPoolExecutor(workers) as executor, Stopwatch() as watch:
            swept = sweep(thesis(), _OF_ONE_ROUND, 1, executor=executor, cache=False)
        _virtual_s(swept)
        seconds[workers] = watch.wall_s
    return Sample(seconds[1] / seconds[2])


def _virtual_s(swept: Sweep) -> float:
    """The network's time of all runs. Raises RuntimeError if one failed."""
    if swept.failures():
        raise RuntimeError(swept.failures())
    return float(swept.table["virtual_s"].sum())  # one flow, one row
