"""Figures of results, as plain Altair charts.

    from labkit import charts
    charts.cwnd(result)                         # or result.charts.cwnd()
    charts.cwnd({"reno": one, "cubic": other})  # runs laid over each other
    charts.stacked(charts.cwnd(result), charts.queue(result))

A figure is data, made from tables by small functions, and a drawing that names these data. The data go
by fixed names in the chart's `datasets`; `description` says in words what is to be seen; `usermeta`
has the figure's name, its caption and a table of its data. Colours, dashes and shapes: `theme`.
"""

from __future__ import annotations

from labkit.charts.comparison import published
from labkit.charts.figure import EmptyFigureError, FigureError
from labkit.charts.losses import ledger
from labkit.charts.messages import ladder
from labkit.charts.network import topology
from labkit.charts.parameter import swept
from labkit.charts.queue_length import delay, queue
from labkit.charts.rates import goodput, share
from labkit.charts.round_trips import rtt
from labkit.charts.seeds import distribution
from labkit.charts.sequence import time_sequence
from labkit.charts.stack import stacked
from labkit.charts.windows import cwnd

__all__ = [
    "EmptyFigureError",
    "FigureError",
    "cwnd",
    "delay",
    "distribution",
    "goodput",
    "ladder",
    "ledger",
    "published",
    "queue",
    "rtt",
    "share",
    "stacked",
    "swept",
    "time_sequence",
    "topology",
]
