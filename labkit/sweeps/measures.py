"""What is measured in each run of a sweep: flows' figures by name, or a function of the Result.

A row is a mapping: numbers are measured, texts say of what ("flow").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from labkit.errors import LabkitError, SpecError
from labkit.schema.base import did_you_mean
from labkit.sweeps.dynamics import Dynamics
from labkit.sweeps.experience import Experience
from labkit.sweeps.named_measure import NamedMeasure as NamedMeasure

if TYPE_CHECKING:
    from labkit.results.result import Result

Plain: TypeAlias = float | int | str | bool | None
Row: TypeAlias = dict[str, Plain]
Measure: TypeAlias = Callable[["Result"], Any]

UNITS: dict[str, str] = {
    "goodput": "Mbit/s of payload",
    "retransmits": "segments",
    "duration": "s from the flow's start to the arrival of its last byte; missing if it is not complete",
    "complete": "1: it came to its own end; 0: it was cut",
    "sent_bytes": "bytes of payload",
    "received_bytes": "bytes of payload",
    "sent_packets": "datagrams (UDP)",
    "received_packets": "datagrams (UDP)",
    "established_s": "s since the start of the run",
    "first_byte_s": "s since the start of the run",
    "last_byte_s": "s since the start of the run",
    "end_s": "s since the start of the run",
}
TOGETHER: dict[str, str] = {
    "goodput_sum": "Mbit/s of payload of all flows",
    "goodput_min": "Mbit/s of payload of the slowest flow",
    "goodput_max": "Mbit/s of payload of the fastest flow",
    "retransmits_sum": "segments of all flows; missing for UDP",
    "datagrams_lost": "share of those sent that never came (of pings: that nobody answered), those under way "
    "at a cut too; missing for TCP",
}
SECONDLY: dict[str, str] = {"goodput_in_second": "Mbit/s of payload acknowledged within that second"}
SHORT: dict[str, str] = {
    **dict.fromkeys(("goodput", "goodput_sum", "goodput_min", "goodput_max", *SECONDLY), "Mbit/s"),
    **dict.fromkeys(("retransmits", "retransmits_sum"), "segments"),
    "duration": "s",
    "datagrams_lost": "share",
}
DEFAULT = ("goodput", "retransmits", "duration")
OWN = ("seed", "virtual_s", "incomplete", "error", "spec_digest")


class MeasureError(LabkitError, TypeError):
    """What `measure` gave is no row of numbers; says what it was."""


class PerFlow(NamedMeasure):
    """One row per flow with these figures."""

    units, keys = UNITS, ("flow",)

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        table = result.flows.copy()
        table["goodput"] = result.goodput()
        table["duration"] = (table["last_byte_s"] - table["start_s"]).where(table["complete"])
        table["complete"] = table["complete"].astype("int64")
        return table[list(self.names)].reset_index().to_dict("records")  # type: ignore[return-value]


class PerProtocol(NamedMeasure):
    """One row for all TCP flows together, one for all UDP flows, one for all pings."""

    units, keys = TOGETHER, ("protocol",)

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        flows = result.flows.assign(goodput=result.goodput())
        rows = []
        for protocol, part in flows.groupby("protocol", sort=False):
            sent, tcp = part["sent_packets"].sum(), protocol == "tcp"
            lost = 1 - part["received_packets"].sum() / sent if sent and not tcp else None
            figures = {f"goodput_{what}": part["goodput"].agg(what) for what in ("sum", "min", "max")}
            figures |= {"retransmits_sum": part["retransmits"].sum() if tcp else None, "datagrams_lost": lost}
            rows.append({"protocol": protocol, **{name: figures[name] for name in self.names}})
        return rows


class PerSecond(NamedMeasure):
    """One row per TCP flow and whole second of the time that it was given (`Traffic.until`), by TCP_INFO
    about the second's two ends: 0 while it stalls, after it has died, and if it was never there. A background
    has none: its transfers have no TCP_INFO."""

    units, keys = SECONDLY, ("flow", "second")

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        info = result.tcp_info[result.tcp_info["side"] == "sender"]
        connections = [str(flow.name) for flow in result.experiment.flows if flow.connected()]
        starts = result.flows.loc[connections, "start_s"]
        given = (result.given_until() - starts).dropna()
        rows = []
        for flow, lasted in zip(given.index.astype("str"), given.to_list(), strict=True):
            part = info[info["flow"] == flow]
            time = [0.0, *(part["time_s"] - starts[flow])]
            acked = [0.0, *part["bytes_acked"].astype("float64")]
            at_ends = np.interp(np.arange(int(lasted + 1e-9) + 1), time, acked)
            for second, rate in enumerate(np.diff(at_ends) * 8e-6, 1):
                rows.append({"flow": flow, "second": str(second), self.names[0]: rate})
        return rows


_KINDS: tuple[type[NamedMeasure], ...] = (PerFlow, PerProtocol, PerSecond, Dynamics, Experience)
ALL_UNITS: dict[str, str] = {name: unit for kind in _KINDS for name, unit in kind.units.items()}


def as_measure(given: Any) -> Measure:
    """A name, a list of names, or a function of a Result. Raises SpecError, which names what there is."""
    if callable(given):
        return given  # type: ignore[no-any-return]
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Iterable):
        raise SpecError(f"measure={given!r}: name what to measure, or give a function of a Result")
    names = tuple(dict.fromkeys(given))
    if not names:
        raise SpecError(f"measure: nothing: name one of {', '.join(ALL_UNITS)}")
    for name in names:
        if name not in ALL_UNITS:
            hint = did_you_mean(str(name), list(ALL_UNITS)) or f": there are {', '.join(ALL_UNITS)}"
            raise SpecError(f"measure={name!r}: no such figure{hint}; or give a function of a Result")
    kind = next(kind for kind in _KINDS if names[0] in kind.units)
    for name in names:
        if name not in kind.units:
            one, listed = " and ".join(kind.keys), ", ".join(kind.units)
            raise SpecError(f"measure={name!r}: not with {names[0]!r}, which is per {one}, as are {listed}")
    return kind(names)


def rows_of(measured: Any) -> list[Row]:
    """What a measure gave, as rows of plain values: from one mapping, several, or a table.

    Raises MeasureError.
    """
    if hasattr(measured, "reset_index"):  # of pandas: a table, or a series with an index of flows
        table = measured.to_frame() if hasattr(measured, "to_frame") else measured
        measured = (table.reset_index() if table.index.name is not None else table).to_dict("records")
    if isinstance(measured, Mapping):
        measured = [measured]
    if isinstance(measured, str) or not isinstance(measured, Iterable):
        raise MeasureError(f'measure gave {measured!r}: it must give a mapping such as {{"goodput": 9.4}}')
    return [_row(row) for row in measured]


def _row(row: Any) -> Row:
    if not isinstance(row, Mapping):
        raise MeasureError(f'measure gave a row {row!r}: it must be a mapping such as {{"goodput": 9.4}}')
    for name in row:
        if name in OWN:
            raise MeasureError(f"measure gave {name!r}, which the table has of its own: name it otherwise")
    return {str(name): _plain(str(name), value) for name, value in row.items()}


def _plain(name: str, value: Any) -> Plain:
    if isinstance(value, str | bool):
        return str(value) if isinstance(value, str) else int(value)
    if value is None or type(value).__name__ == "NAType":
        return None
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return None if math.isnan(value) else float(value)
    raise MeasureError(f"measure gave {name}={value!r}: it must be a number, or a text that says of what")
