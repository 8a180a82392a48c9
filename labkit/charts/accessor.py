"""`result.charts.cwnd()`: the figures of one result, as methods. `labkit` gives them to every Result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any

import altair as alt

from labkit import probes
from labkit.charts.declared import of_probe
from labkit.charts.losses import ledger
from labkit.charts.messages import ladder
from labkit.charts.network import topology
from labkit.charts.queue_length import delay, queue
from labkit.charts.rates import goodput, share
from labkit.charts.round_trips import rtt
from labkit.charts.sequence import time_sequence
from labkit.charts.windows import cwnd
from labkit.results.protocol import Run
from labkit.schema.base import did_you_mean


class RunCharts:
    """The functions of labkit.charts that draw one run, bound to it: with their own texts and arguments."""

    def __init__(self, run: Run) -> None:
        self._run = run
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

    if not TYPE_CHECKING:  # so that what is misspelt is found without running it

        def __getattr__(self, name: str) -> Callable[..., alt.LayerChart]:
            """The figure that a probe declares: see `labkit.charts.of_probe`."""
            if probes.chart(name) is None:
                hint = did_you_mean(name, dir(self))
                raise AttributeError(f"{type(self).__name__} has no {name!r}{hint}", name=name, obj=self)
            return partial(self.of_probe, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *probes.charts()})

    def of_probe(self, name: str, *args: Any, **options: Any) -> alt.LayerChart:
        """A figure that a probe declares, by its name: see `labkit.charts.of_probe`."""
        return of_probe(name, self._run, *args, **options)
