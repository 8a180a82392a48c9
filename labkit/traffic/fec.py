"""Forward error correction over datagrams: what is sent beside the packets themselves, and what that
repairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, model_validator

from labkit.schema.base import FaultsError, Spec
from labkit.traffic.kind import Fault
from labkit.units import Integer

if TYPE_CHECKING:
    import numpy.typing as npt


class Sent(NamedTuple):
    """A datagram: in intervals after the first packet; which packet it is, from 0, or -1: one that repairs;
    its block, from 0."""

    at: float
    packet: int
    block: int


class Repetition(Spec, init=False):
    """Each packet is sent `copies` times, each of them `gap` intervals after the one before: further apart
    than a burst of losses, and as much later if only the last one comes."""

    _positional: ClassVar = ("copies",)
    kind: Literal["repetition"] = "repetition"
    copies: Annotated[Integer, Field(ge=2, le=32)] = 2
    gap: Annotated[Integer, Field(ge=0, le=1000)] = 1

    def overhead(self) -> float:
        """Datagrams that are sent beside each packet."""
        return self.copies - 1.0

    def sent(self, packets: int) -> Iterator[Sent]:
        """All datagrams, in order of time."""
        for at in range(packets + (self.copies - 1) * self.gap):
            for copy in range(self.copies):
                packet = at - copy * self.gap
                if 0 <= packet < packets:
                    yield Sent(float(at), packet, packet)

    def needed(self) -> int:
        """How many different datagrams of a block restore all of it."""
        return 1


class BlockCode(Spec, init=False):
    """After each k packets as many that repair: any k of all of them restore the block (a maximum distance
    separable code). They are spread over the interval after the block's last packet. The last block may be
    shorter, and has as many."""

    k: Annotated[Integer, Field(ge=1, le=255)]

    def repairs(self) -> int:
        """Per block."""
        raise NotImplementedError

    def overhead(self) -> float:
        """Datagrams that are sent beside each packet."""
        return self.repairs() / self.k

    def sent(self, packets: int) -> Iterator[Sent]:
        """All datagrams, in order of time."""
        for first in range(0, packets, self.k):
            after = min(first + self.k, packets)
            block, more = first // self.k, self.repairs()
            for packet in range(first, after):
                yield Sent(float(packet), packet, block)
            for repair in range(more):
                yield Sent(after - 1 + (repair + 1) / (more + 1), -1, block)

    def needed(self) -> int:
        """How many different datagrams of a block restore all of it (of the last one as many as it has
        packets)."""
        return self.k


class Parity(BlockCode, init=False):
    """After each k packets their exclusive or (RFC 5109): it repairs one loss in each block."""

    _positional: ClassVar = ("k",)
    kind: Literal["parity"] = "parity"

    def repairs(self) -> int:
        return 1


class ReedSolomon(BlockCode, init=False):
    """n datagrams for k packets, any k of which restore them: a Reed-Solomon erasure code (Rizzo, Effective
    Erasure Codes for Reliable Computer Communication Protocols, 1997; RFC 5510)."""

    _positional: ClassVar = ("n", "k")
    kind: Literal["reed_solomon"] = "reed_solomon"
    n: Annotated[Integer, Field(ge=2, le=255)]

    @model_validator(mode="after")
    def _check(self) -> ReedSolomon:
        if found := list(self._faults()):
            raise FaultsError(found)
        return self

    def _faults(self) -> Iterator[Fault]:
        if self.n <= self.k:
            yield ("n",), f"={self.n}: must be above k={self.k}: the {self.k} packets are among them"

    def repairs(self) -> int:
        return self.n - self.k


Fec = Repetition | Parity | ReedSolomon
_KINDS: dict[str, type[Fec]] = {
    "repetition": Repetition,
    "parity": Parity,
    "reed_solomon": ReedSolomon,
}


def as_fec(value: object) -> Fec | None:
    """A code from a mapping with `kind`. Raises SpecError."""
    if value is None or isinstance(value, Fec):
        return value
    kind = _KINDS.get(str(value.get("kind"))) if isinstance(value, Mapping) else None
    if kind is None or not isinstance(value, Mapping):
        raise FaultsError([((), f"={value!r}: must be Repetition(2), Parity(4) or ReedSolomon(6, 4)")])
    return kind.model_validate(value)


def usable(
    code: Fec | None, packets: int, arrived: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """For each packet, when it came by itself and when it could be used, by itself or repaired (NaN: never).

    arrived: when each datagram of `code.sent(packets)` came, in that order; NaN: never."""
    import numpy as np

    if code is None:
        return arrived, arrived
    sent = list(code.sent(packets))
    packet, block = np.array([one.packet for one in sent]), np.array([one.block for one in sent])
    came = np.full(packets, np.inf)
    arrived = np.where(np.isnan(arrived), np.inf, arrived)
    np.minimum.at(came, packet[packet >= 0], arrived[packet >= 0])
    repaired = np.full(packets, np.inf)
    for number in np.unique(block):
        mine = np.unique(packet[(block == number) & (packet >= 0)])
        enough = min(code.needed(), len(mine))
        repaired[mine] = np.sort(arrived[block == number])[enough - 1]
    both = np.minimum(came, repaired)
    return np.where(np.isinf(came), np.nan, came), np.where(np.isinf(both), np.nan, both)
