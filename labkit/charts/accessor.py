"""`result.charts.cwnd()`: the figures of one result, as methods. What each takes and shows: labkit.charts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from labkit import probes
from labkit.schema.base import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    import altair as alt

    from labkit.charts.runs import Run


class Charts:
    """The figures of one result; each method takes what the function of its name takes after the result."""

    def __init__(self, run: Run) -> None:
        self._run = run

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
        from labkit.charts import of_probe

        return of_probe(name, self._run, *args, **options)

    def cwnd(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Congestion window, ssthresh, losses: see `labkit.charts.cwnd`."""
        from labkit.charts import cwnd

        return cwnd(self._run, *args, **options)

    def time_sequence(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Time-sequence diagram at the sender: see `labkit.charts.time_sequence`."""
        from labkit.charts import time_sequence

        return time_sequence(self._run, *args, **options)

    def goodput(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Goodput over time: see `labkit.charts.goodput`."""
        from labkit.charts import goodput

        return goodput(self._run, *args, **options)

    def share(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Shares of the goodput over time: see `labkit.charts.share`."""
        from labkit.charts import share

        return share(self._run, *args, **options)

    def queue(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Queue length over time: see `labkit.charts.queue`."""
        from labkit.charts import queue

        return queue(self._run, *args, **options)

    def delay(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Queueing delay over time: see `labkit.charts.delay`."""
        from labkit.charts import delay

        return delay(self._run, *args, **options)

    def rtt(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Smoothed round-trip time: see `labkit.charts.rtt`."""
        from labkit.charts import rtt

        return rtt(self._run, *args, **options)

    def ledger(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Every lost packet: see `labkit.charts.ledger`."""
        from labkit.charts import ledger

        return ledger(self._run, *args, **options)

    def ladder(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Packet by packet: see `labkit.charts.ladder`."""
        from labkit.charts import ladder

        return ladder(self._run, *args, **options)

    def topology(self, **options: Any) -> alt.LayerChart:
        """The network: see `labkit.charts.topology`."""
        from labkit.charts import topology

        return topology(self._run, **options)
