"""A switch: a Linux bridge, with the spanning tree protocol and VLANs if asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictStr

from labkit.errors import SpecError
from labkit.schema.base import ADDED, FaultsError, Frozen, Loc, Spec
from labkit.spec.names import node_name
from labkit.units import integer

UNTAGGED = 0  # of a frame without a tag; a tag with this number says the same (IEEE 802.1Q, 9.6)
NATIVE_VLAN = 1  # of a port that was not told another, as on every new switch
_LAST_VLAN = 4094

Port = int | tuple[int, ...]
"""Of an access port its VLAN; of a trunk the VLANs that it carries, tagged."""


def _vlan(value: object) -> int:
    number = integer(value)
    if not 1 <= number <= _LAST_VLAN:
        raise SpecError(f"a VLAN's number is from 1 to {_LAST_VLAN}")
    return number


def _port(value: object) -> Port:
    if not isinstance(value, list | tuple):
        return _vlan(value)
    if not value:
        raise SpecError("a trunk carries one VLAN at least: write (10, 20)")
    return tuple(sorted({_vlan(one) for one in value}))


def _ports(value: object) -> dict[str, Port]:
    if not isinstance(value, Mapping):
        raise SpecError('must say the VLAN of each neighbour: {"h1": 10, "h2": 20, "s2": (10, 20)}')
    found: dict[str, Port] = {}
    faults: list[tuple[Loc, str]] = []
    for name, port in value.items():
        try:
            found[name] = _port(port)
        except SpecError as error:
            faults.append(((), f"[{name!r}]={port!r}: {error}"))
    if faults:
        raise FaultsError(faults)
    return found


Ports = Annotated[dict[str, Any], BeforeValidator(_ports), Frozen]


class Switch(Spec, init=False):
    """A switch by name, among the hosts of a Topology. It has no address, and what is linked to it is one
    subnet: hosts find each other by ARP, and the switch learns where each one is.

    vlan: neighbour -> VLAN. A number makes an access port, whose frames bear no tag; a tuple of numbers a
    trunk to another switch, which carries these VLANs tagged: {"h1": 10, "h2": 20, "s2": (10, 20)}. Ports of
    neighbours not named are in VLAN 1. Each VLAN is a subnet of its own, and only a router joins two.

    stp: the spanning tree protocol (IEEE 802.1D), without which switches may not be joined in a ring. The
    first switch of a Topology is its root. Ports forward nothing during the first 30 s of a run (listening
    and learning take 15 s each): let flows begin later, start="31s", which costs no time in the lab.
    """

    _positional: ClassVar = ("name",)
    kind: Literal["switch"] = "switch"
    name: Annotated[StrictStr, AfterValidator(node_name)]
    stp: StrictBool = False
    vlan: Annotated[Ports, ADDED] = Field(default_factory=dict, validate_default=True)

    def admits(self, neighbour: str, tag: int) -> int | None:
        """The VLAN that a frame with this tag from a neighbour is in; None: it is dropped. Without VLANs a
        switch leaves tags as they are."""
        if not self.vlan:
            return tag
        port = self.vlan.get(neighbour, NATIVE_VLAN)
        if isinstance(port, tuple):
            return tag if tag in port else None
        return port if tag in (UNTAGGED, port) else None

    def emits(self, neighbour: str, vlan: int) -> int | None:
        """The tag with which a frame of a VLAN is sent to a neighbour; None: it is not sent there."""
        if not self.vlan:
            return vlan
        port = self.vlan.get(neighbour, NATIVE_VLAN)
        if isinstance(port, tuple):
            return vlan if vlan in port else None
        return UNTAGGED if vlan == port else None
