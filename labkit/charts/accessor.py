"""`result.charts.cwnd()`: the figures of one result, as methods. `labkit` gives them to every Result."""

from __future__ import annotations

from types import MethodType

from labkit.charts.losses import ledger
from labkit.charts.messages import ladder
from labkit.charts.network import topology
from labkit.charts.queue_length import delay, queue
from labkit.charts.rates import goodput, share
from labkit.charts.round_trips import rtt
from labkit.charts.sequence import time_sequence
from labkit.charts.windows import cwnd
from labkit.results.protocol import Run


class RunCharts:
    """The functions of labkit.charts that draw one run, bound to it: with their own texts and arguments."""

    def __init__(self, run: Run) -> None:
        self.cwnd = MethodType(cwnd, run)
        self.time_sequence = MethodType(time_sequence, run)
        self.goodput = MethodType(goodput, run)
        self.share = MethodType(share, run)
        self.queue = MethodType(queue, run)
        self.delay = MethodType(delay, run)
        self.rtt = MethodType(rtt, run)
        self.ledger = MethodType(ledger, run)
        self.ladder = MethodType(ladder, run)
        self.topology = MethodType(topology, run)
