"""What the sockets of an open laboratory hear on its interfaces, and send into them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from labkit import units
from labkit.compile import captures
from labkit.compile.layout import Interface, Layout
from labkit.decode.raw import Raw
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.structs import PROGRAM_PACKET, Op


class Listener(Protocol):
    """Takes the frames of its own interface from what the agent wrote."""

    def take(self, tail: Raw) -> None: ...


class Step(Protocol):
    """Has the laboratory carry out a program and then lets virtual time pass."""

    def __call__(self, program: Program, *, duration_ns: int) -> object: ...


@dataclass(frozen=True)
class Devices:
    """program: begins one, with these flags; clock: the laboratory's, in virtual seconds."""

    layout: Layout
    program: Callable[[int], Program]
    step: Step
    clock: Callable[[], float]
    _listening: set[int] = field(default_factory=set)
    _listeners: list[Listener] = field(default_factory=list)

    @property
    def time_s(self) -> float:
        """The laboratory's clock, in virtual seconds."""
        return self.clock()

    def listen(self, device: Interface, listener: Listener) -> None:
        """From now on the listener hears this device."""
        if device.index not in self._listening:
            program = self.program(0)
            body = records.capture(device.index, captures.WHOLE)
            program.add(Op.LISTEN, body, f"listen on {device.host}.{device.name}", ns=device.ns)
            self.step(program, duration_ns=1)
            self._listening.add(device.index)
        self._listeners.append(listener)

    def inject(self, device: Interface, frame: bytes) -> None:
        """Send a frame into a device now. Raises AgentError."""
        program = self.program(0)
        why = f"send {len(frame)} bytes into {device.host}.{device.name}"
        program.add(Op.SEND, records.send(device.index, frame), why, ns=device.ns)
        self.step(program, duration_ns=1)

    def await_packet(self, timeout_s: float) -> None:
        """Let virtual time pass until a listening socket has a packet, or the timeout is over."""
        self.step(self.program(PROGRAM_PACKET), duration_ns=max(units.ns(timeout_s), 1))

    def hear(self, tail: Raw) -> None:
        """Give every listener what the agent wrote."""
        for listener in self._listeners:
            listener.take(tail)

    def forget(self, listener: Listener) -> None:
        """It gets no more packets."""
        if listener in self._listeners:
            self._listeners.remove(listener)
