"""Figures of results, as plain Altair charts.

    from labkit import charts
    charts.cwnd(result)                         # or result.charts.cwnd()
    charts.cwnd({"reno": one, "cubic": other})  # runs laid over each other
    charts.stacked(charts.cwnd(result), charts.queue(result))
    charts.noted(charts.cwnd(result), {0.3: "slow start"}, title="A loss halves the window")

A figure is data, made from tables by small functions, and a drawing that names these data. The data go
by fixed names in the chart's `datasets`; `description` says in words what is to be seen; `usermeta`
has the figure's name, its caption and a table of its data. Colours, dashes and shapes: `theme`.

A figure that a probe declares (labkit.probes) goes by its name, too: charts.retransmit(result).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import lazy_loader

from labkit import probes

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # __init__.pyi has the names


def __getattr__(name: str) -> Any:
    """A figure of __all__, or one that a probe declares, as a function of a run."""
    if name in __all__:
        return _load(name)
    if probes.chart(name) is None:
        raise AttributeError(f"module 'labkit.charts' has no attribute {name!r}")
    return partial(_load("of_probe"), name)
