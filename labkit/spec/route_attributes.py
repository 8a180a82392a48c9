"""What a host's routes say of the connections that go over them, as `ip route change` sets it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labkit.schema.base import Spec
from labkit.units import Duration, Integer, Packets, Size

_MOST = 2**32 - 1  # of an attribute
_Count = Annotated[Packets, Field(gt=0, le=_MOST)]
_Bytes = Annotated[Size, Field(gt=0, le=_MOST)]


class Routes(Spec, init=False):
    """Of all routes of one host, each attribute by its name in ip-route(8).

    quickack: 1, and a receiver acknowledges each packet at once. initcwnd, initrwnd: packets of the first
    window, of a sender and as a receiver offers it. rto_min: the least retransmission timer, in whole
    milliseconds. advmss: the MSS that is asked for, in bytes. window: the most that is ever offered, in
    bytes.
    """

    quickack: Annotated[Integer, Field(ge=0, le=1)] | None = None
    initcwnd: _Count | None = None
    initrwnd: _Count | None = None
    rto_min: Annotated[Duration, Field(ge=0.001, le=120)] | None = None
    advmss: _Bytes | None = None
    window: _Bytes | None = None

    def attributes(self) -> dict[str, int]:
        """Those that are given, by their names, as the kernel takes them."""
        given: dict[str, Any] = self.model_dump(exclude_none=True)
        if "rto_min" in given:
            given["rto_min"] = round(1000 * given["rto_min"])
        return given
