"""Probes, one file each: name, events or samples, what it needs, tables with units, charts.

To add one, write PROBE in a file of its own here and add it to the list below. Then an experiment takes its
name, a Result has its tables (`result.NAME`, `result.table("NAME")`, `result.units("NAME")`) and its figures
(`result.charts.NAME()`). A model to follow: retransmit_probe.py.
"""

from __future__ import annotations

from labkit.probes import (
    backlog_probe,
    cc_info_probe,
    drops_probe,
    queue_probe,
    recovery_probe,
    retransmit_probe,
    tcp_info_probe,
    tcp_probe,
)
from labkit.probes.probe import EventChart, Probe

KINDS: dict[str, Probe] = {
    probe.name: probe
    for probe in (  # in this order their records stand in a program: add at the end
        tcp_info_probe.PROBE,
        backlog_probe.PROBE,
        tcp_probe.PROBE,
        recovery_probe.PROBE,
        queue_probe.PROBE,
        drops_probe.PROBE,
        retransmit_probe.PROBE,
        cc_info_probe.PROBE,
    )
}
ALL = frozenset(KINDS)
DEFAULT = frozenset(name for name, probe in KINDS.items() if probe.default)


def of_table(name: str) -> Probe | None:
    """The probe that gives this table."""
    return next((probe for probe in KINDS.values() if name in probe.tables), None)


def chart(name: str) -> EventChart | None:
    """The figure of this name, if a probe has it."""
    return next((probe.charts[name] for probe in KINDS.values() if name in probe.charts), None)


def tables() -> list[str]:
    """The names of all tables that probes give."""
    return [name for probe in KINDS.values() for name in probe.tables]


def charts() -> list[str]:
    """The names of all figures that probes have."""
    return [name for probe in KINDS.values() for name in probe.charts]
