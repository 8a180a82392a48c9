"""Where packets are captured."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictStr

from labkit.schema.base import Spec
from labkit.units import Size

SMALLEST_SNAP = 96
"""Bytes that hold the headers of Ethernet (14), IP (20) and TCP with all its options (60)."""


class Capture(Spec, init=False):
    """Keep the packets that a host sends and receives, on one of its interfaces or on all.

    interface: "eth0" is the one of the host's first link. snap: how many bytes to keep of each
    packet (its Ethernet header included); None: all of it. "right" and "right.eth0" are short for
    Capture("right") and Capture("right", "eth0").
    """

    _positional: ClassVar = ("host", "interface")
    host: StrictStr
    interface: StrictStr | None = None
    snap: Annotated[Size, Field(ge=SMALLEST_SNAP)] | None = None


def as_capture(value: Any) -> Capture:
    """A Capture from itself, from a mapping, or from "host" or "host.interface"."""
    if isinstance(value, str):
        host, _, interface = value.partition(".")
        return Capture(host, interface or None)
    return Capture.model_validate(value)
