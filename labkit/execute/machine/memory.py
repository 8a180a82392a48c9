"""What a run has to have memory for, and how much the lab kernel gets for it: as much on every machine, since
its limits follow its memory."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.compile.compiler import Compiled
from labkit.errors import SpecError
from labkit.spec import Experiment

_SYSTEM_MB = 40  # of the kernel and the agent
_BASE_MB = 96
_PER_FLOW_MB = 8
_LARGEST_MB = 4096
_SMALLEST_MB = 128
_ASKED_MB = 64
_HOSTS_IN_BASE = 64  # of more, each has room for itself: a host and its link take half a megabyte


@dataclass(frozen=True)
class Needs:
    """Hosts, flows, KiB of buffers for traces and captures; and asked, the bytes that the experiment asks for
    instead of what its place would give it."""

    hosts: int
    flows: int
    buffers_kb: int = 0
    asked: int | None = None

    @classmethod
    def of(cls, exp: Experiment, compiled: Compiled) -> Needs:
        """Those of an experiment that runs from its start to its end."""
        return cls(len(exp.topology.hosts), len(exp.flows), compiled.buffers_kb, exp.memory)

    @property
    def least_mb(self) -> int:
        """MiB for what is there from the start: kernel and agent, the network, the buffers."""
        return _SYSTEM_MB + (self.hosts >> 1) + (self.buffers_kb >> 10)

    def __str__(self) -> str:
        return f"{self.hosts} hosts and {self.buffers_kb >> 10} MiB of buffers for traces and captures"


def memory_mb(needs: Needs) -> int:
    """Process memory; the host gives only what is touched. Raises SpecError if what was asked for does not
    even hold the network and the buffers of traces and captures, which are there from the start."""
    least = needs.least_mb
    if needs.asked is None:
        more_hosts = max(0, needs.hosts - _HOSTS_IN_BASE)
        room = _BASE_MB + _PER_FLOW_MB * needs.flows + (needs.buffers_kb >> 9) + more_hosts
        return max(min(max(room, _SMALLEST_MB), _LARGEST_MB), least)
    asked = needs.asked >> 20
    if max(asked, _ASKED_MB) < least:
        raise SpecError(f"memory={asked}MiB: too little for {needs}: write {least}MiB or more")
    return max(asked, _ASKED_MB)
