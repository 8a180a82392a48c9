"""What compiling has to know of where a program will run. No machine is looked at: a place says it."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.compile import measuring
from labkit.compile.layout import LAB_SLACK_S
from labkit.spec import DEFAULT_PROBES, Experiment

HOST_SLACK_S = 0.002
"""On a machine's own kernel timers are late by tens of microseconds, on a busy one by more: with a bucket
of one frame 20 Mbit/s lost 4 %."""


@dataclass(frozen=True)
class Target:
    """own_kernel: nobody else's traffic or settings are in it, and all of it may be set and traced.
    slack_s: how late a timer may be. ipv6: hosts would speak it unless told not to. wires: every link of an
    open laboratory gets what delays and loses packets, because it may change later."""

    own_kernel: bool = True
    slack_s: float = LAB_SLACK_S
    ipv6: bool = False
    wires: bool = True

    def offered(self, exp: Experiment) -> Experiment:
        """The experiment with those of its probes that are recorded there. Where others share the kernel,
        tracing takes root: only who asks for it by name gets it."""
        if self.own_kernel:
            return exp
        asked = exp.probes if exp.probes != DEFAULT_PROBES else exp.probes - measuring.TRACED
        return exp.replace(probes=asked & measuring.HOST_PROBES)


SHARED_KERNEL = Target(own_kernel=False, slack_s=HOST_SLACK_S)
"""A machine's own kernel, without IPv6."""
