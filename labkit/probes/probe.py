"""What a probe is: all facts about one thing that can be measured during a run. Which there are: __init__.py.

Nothing here imports numpy: labkit.spec takes the names of the probes from this room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from labkit.decode.plain_tables import Table


@dataclass(frozen=True)
class Scene:
    """What a probe may ask of an experiment.

    tcp: there are TCP flows, or may be later. queued: interface indices of the devices with a queue,
    ascending. ports: there are ports of the teaching NIC. shared_kernel: others have connections in
    this kernel as well. sports, dports: the flows' own, as their senders see them.
    """

    tcp: bool
    queued: tuple[int, ...]
    ports: bool
    shared_kernel: bool
    sports: range
    dports: range

    @property
    def of_flows(self) -> str:
        """The filter that lets through the senders of the flows; on a shared kernel nobody else's."""
        text = f"sport >= {self.sports.start} && sport < {self.sports.stop}"
        if self.shared_kernel:
            text += f" && dport >= {self.dports.start} && dport < {self.dports.stop}"
        return text


class Sample(Enum):
    """What the agent can read each sample_interval."""

    TCP_INFO = "TCP_INFO of both ends of every TCP flow"
    CC_INFO = "what the congestion control of every TCP sender says of itself"
    QDISCS = "the qdiscs of every device with a queue"


@dataclass(frozen=True)
class Event:
    """A tracepoint to switch on, by the kernel's GROUP/NAME.

    filter: the kernel's (Documentation/trace/events.rst); "": all. Of two probes with the same event
    each gets what either lets through. bytes: of one in the ring buffer, rounded up; 0: so rare that
    it needs no room. everywhere: there is one for each packet at each link, not one for each segment
    of the fastest link.
    """

    name: str
    filter: str = ""
    bytes: int = 0
    everywhere: bool = False

    def joined(self, other: Event) -> Event:
        """What both let through, in one: the kernel has a single filter per event."""
        text = self.filter
        if self.filter != other.filter:
            text = f"({self.filter}) || ({other.filter})" if self.filter and other.filter else ""
        return Event(self.name, text, max(self.bytes, other.bytes), self.everywhere or other.everywhere)


@dataclass(frozen=True)
class EventChart:
    """A figure of a table over time: one point for each row (column time_s, in s).

    y: a column of numbers, y_title: its name with its unit. series: the column that tells colours
    apart. only: column -> the value of the rows to be shown. rows: what a row is, one and many. each:
    the sentence about a series, of {series}, {rows}, {first} and {last} (time, s), {least} and {most}
    (y). lacks, cure: what is said of a table without rows.
    """

    table: str
    y: str
    y_title: str
    title: str
    caption: str
    rows: tuple[str, str]
    lacks: str
    cure: str
    series: str = "flow"
    only: Mapping[str, str] = field(default_factory=dict)
    each: str = "{series}: {rows}, the first at {first} s, the last at {last} s."


def _no_events(scene: Scene) -> Sequence[Event]:
    return ()


@dataclass(frozen=True)
class Probe:
    """One thing that can be measured.

    name: in an experiment's probes. doc: what it tells, in a line. default: on if nothing is said.
    samples: what it reads at intervals. events: what it traces in an experiment; leaving it out says:
    nothing ever. drop_monitor: it listens to the kernel's drop monitor. nothing: why an experiment
    gives it no event to trace. shared_kernel_ok: what it tells can be told apart from a machine's
    other traffic, so it may be used in a kernel that is not the experiment's own. tables, charts: by
    the names under which a Result has them.
    """

    name: str
    doc: str
    default: bool = False
    samples: tuple[Sample, ...] = ()
    events: Callable[[Scene], Sequence[Event]] = _no_events
    drop_monitor: bool = False
    nothing: str = ""
    shared_kernel_ok: bool = False
    tables: Mapping[str, Table] = field(default_factory=dict)
    charts: Mapping[str, EventChart] = field(default_factory=dict)

    @property
    def traced(self) -> bool:
        """It may switch on tracepoints, for which a machine's own kernel wants root."""
        return self.events is not _no_events
