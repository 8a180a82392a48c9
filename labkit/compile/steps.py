"""What is done to a link, one after the other, and the seeds of what is random in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from labkit.program.builder import Program
from labkit.program.records import NETLINK_ROUTE
from labkit.program.structs import LAB_AT_SETUP, Op


@dataclass(frozen=True)
class Step:
    """Messages for one namespace (by its index), with what they are for."""

    ns: int
    messages: list[bytes]
    why: str
    protocol: int = NETLINK_ROUTE

    def put(self, program: Program, at_ns: int) -> None:
        program.netlink(self.messages, self.why, ns=self.ns, protocol=self.protocol, at_ns=at_ns)


@dataclass(frozen=True)
class ChainStep:
    """The chain of a wire begins, goes on in another way, or ends. body: struct chain_op and its messages."""

    ns: int
    body: bytes
    why: str

    def put(self, program: Program, at_ns: int) -> None:
        """Not while all is set up: a chain begins at an instant."""
        program.add(Op.CHAIN, self.body, self.why, ns=self.ns, at_ns=max(at_ns, 0))


Steps = Sequence[Step | ChainStep]


def put_change(program: Program, steps: Steps) -> None:
    """Steps of an open laboratory. With a chain they are all taken at one instant: between two of them it
    might tell the wire what held before."""
    at_ns = 0 if any(isinstance(step, ChainStep) for step in steps) else LAB_AT_SETUP
    for step in steps:
        step.put(program, at_ns)


def wire_seed(seed: int, src: str, dst: str, what: int | str) -> int:
    """The seed of one netem (what: the number of its change) or of something else: two wires, directions or
    changes never lose in step."""
    text = f"{seed}/{src}/{dst}/{what}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
