"""Figures of results, as plain Altair charts; each name is loaded when it is first used.

    from labkit import charts
    charts.cwnd(result)                         # or result.charts.cwnd()
    charts.cwnd({"reno": one, "cubic": other})  # runs laid over each other
    charts.stacked(charts.cwnd(result), charts.queue(result))

A figure is data, made from tables by small functions, and a drawing that names these data. The data go
by fixed names in the chart's `datasets`; `description` says in words what is to be seen; `usermeta`
has the figure's name, its caption and a table of its data. Colours, dashes and shapes: `theme`.

A figure that a probe declares (labkit.probes) goes by its name, too: charts.retransmit(result).
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

from labkit import probes

if TYPE_CHECKING:
    from labkit.charts.comparison import published as published
    from labkit.charts.declared import of_probe as of_probe
    from labkit.charts.figure import EmptyFigureError as EmptyFigureError
    from labkit.charts.figure import FigureError as FigureError
    from labkit.charts.losses import ledger as ledger
    from labkit.charts.messages import ladder as ladder
    from labkit.charts.network import topology as topology
    from labkit.charts.parameter import swept as swept
    from labkit.charts.queue_length import delay as delay
    from labkit.charts.queue_length import queue as queue
    from labkit.charts.rates import goodput as goodput
    from labkit.charts.rates import share as share
    from labkit.charts.round_trips import rtt as rtt
    from labkit.charts.seeds import distribution as distribution
    from labkit.charts.sequence import time_sequence as time_sequence
    from labkit.charts.stack import stacked as stacked
    from labkit.charts.windows import cwnd as cwnd

_HOME = {
    "cwnd": "windows",
    "time_sequence": "sequence",
    "goodput": "rates",
    "share": "rates",
    "queue": "queue_length",
    "delay": "queue_length",
    "rtt": "round_trips",
    "ledger": "losses",
    "distribution": "seeds",
    "published": "comparison",
    "ladder": "messages",
    "topology": "network",
    "of_probe": "declared",
    "stacked": "stack",
    "swept": "parameter",
    "EmptyFigureError": "figure",
    "FigureError": "figure",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME and probes.chart(name) is not None:
        return partial(__getattr__("of_probe"), name)
    if name not in _HOME:
        raise AttributeError(f"module 'labkit.charts' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"labkit.charts.{_HOME[name]}"), name)
    globals()[name] = value
    return value
