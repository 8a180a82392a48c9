"""What a run has to have memory for; each place then says how much that is, and whether it has it."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.compile.compiler import Compiled
from labkit.spec import Experiment

_SYSTEM_MB = 40  # of the kernel and the agent


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
