"""What an open laboratory hands out to change things by: a link, and the port at one end of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from labkit.errors import SpecError
from labkit.spec import Change, Experiment, LinkChange, NicChange


class Changing(Protocol):
    """The laboratory, as far as a handle needs it."""

    @property
    def experiment(self) -> Experiment: ...
    def change(self, change: LinkChange) -> None: ...


@dataclass(frozen=True)
class LinkHandle:
    """A link of an open laboratory, as seen from its first host."""

    lab: Changing
    a: str
    b: str

    def set(self, *, direction: str = "both", **fields: Any) -> None:
        """Change some fields of Direction now; "forward" is from the first host to the second."""
        self.lab.change(Change(0, (self.a, self.b), direction=direction, **fields))

    def nic(self, host: str) -> NicHandle:
        """The port at one end. Raises SpecError if there is none."""
        if self.lab.experiment.topology.link(self.a, self.b).port(host) is None:
            raise SpecError(f"link {self.a}-{self.b} has no ports: write Link(..., nic=Nic(...))")
        return NicHandle(self.lab, host, self.b if host == self.a else self.a)


@dataclass(frozen=True)
class NicHandle:
    """A port of an open laboratory."""

    lab: Changing
    host: str
    peer: str

    def set(self, **fields: Any) -> None:
        """Change some fields of the running port now: those that NicChange may."""
        self.lab.change(NicChange(0, self.host, self.peer, **fields))
