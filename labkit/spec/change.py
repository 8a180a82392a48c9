"""What happens during an experiment: a link or a port changes, a sysctl is set, a command runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, StrictBool, StrictStr, field_serializer, model_validator

from labkit.errors import SpecError
from labkit.schema.base import ADDED, FaultsError, Frozen, Spec, added, read_by
from labkit.schema.partial import Partial
from labkit.spec.link import WAY, Direction, Link, without_unit
from labkit.spec.nic import CHANGEABLE, PORT, changing, not_with_nic
from labkit.spec.sysctl import SysctlValue, per_host_name, sysctl_value
from labkit.units import Duration


class _Change(Spec, init=False):
    """Some fields of another spec, which may be given by name and end up in `set`."""

    _of: ClassVar[Partial]
    _example: ClassVar[str]
    set: Annotated[dict[str, Any], Frozen]

    @classmethod
    def _read(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        return cls._of.read(settings)

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: dict[str, Any]) -> dict[str, Any]:
        given = data.get("set", {})
        if not isinstance(given, Mapping):
            raise SpecError('set must be a mapping such as {"loss": "5%"}')
        named = {name: value for name, value in data.items() if name in cls._of.fields}
        rest = {name: value for name, value in data.items() if name not in cls._of.fields}
        if twice := given.keys() & named.keys():
            raise SpecError(f"{', '.join(sorted(twice))}: given twice: in set and by name")
        if faults := without_unit(named):
            raise FaultsError(faults)
        return rest | {"set": cls._read({**given, **named})}

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.set:
            text = f"changes nothing: name a field of {self._of.cls.__name__}, such as {self._example}"
            raise SpecError(text)
        return self

    @field_serializer("set")
    def _plain(self, value: dict[str, Any]) -> dict[str, Any]:
        return self._of.plain(value)


class Change(_Change, init=False):
    """At a time (s) some fields of a link's direction take new values; the others stay as they are.

    link: its two hosts; "forward" is from the first to the second as named here. The fields of
    Direction are given by name, as in Change("10s", ("r1", "r2"), loss="5%"), and end up in `set`.
    """

    _of: ClassVar = WAY
    _example: ClassVar = 'loss="5%"'
    _positional: ClassVar = ("at", "link")
    _shorthands: ClassVar = tuple(WAY.fields)
    kind: Literal["link"] = "link"
    at: Duration
    link: tuple[StrictStr, StrictStr]
    direction: Literal["both", "forward", "backward"] = "both"

    @property
    def ends(self) -> frozenset[str]:
        """The two hosts of the link, in no order."""
        return frozenset(self.link)

    def apply(self, link: Link) -> Link:
        """The whole link after this change. Raises SpecError if the fields do not go together."""
        if link.nic_a is not None and self.set.keys() != {"delay"}:
            raise FaultsError(not_with_nic({name: v for name, v in self.set.items() if name != "delay"}))
        ways = ["forward", "backward"] if self.direction == "both" else [self.direction]
        if self.link == (link.b, link.a):
            ways = [{"forward": "backward", "backward": "forward"}[way] for way in ways]
        new: dict[str, Direction] = {way: getattr(link, way).changed(self.set) for way in ways}
        return link.replace(**new)


class NicChange(_Change, init=False):
    """At a time (s) a running port changes: its module works loose, its memory goes bad.

    host, peer: the port of host that is joined to peer. Of Nic's fields those of spec.nic.CHANGEABLE, as in
    NicChange("2s", "right", "left", rx_power="-21dBm"); they end up in `set`.
    """

    _of: ClassVar = PORT
    _example: ClassVar = "ber=1e-6"
    _positional: ClassVar = ("at", "host", "peer")
    _shorthands: ClassVar = CHANGEABLE
    kind: Literal["nic"] = "nic"
    at: Duration
    host: StrictStr
    peer: StrictStr

    @classmethod
    def _read(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        return changing(settings)

    @property
    def ends(self) -> frozenset[str]:
        """The two hosts of the link, in no order."""
        return frozenset((self.host, self.peer))

    def apply(self, link: Link) -> Link:
        """The whole link after this change. Raises SpecError if it has no ports, or refuses the fields."""
        port = link.port(self.host)
        if port is None:
            text = f"={self.host!r}: link {link.a}-{link.b} has no ports: write Link(..., nic=Nic(...))"
            raise FaultsError([(("host",), text)])
        end = "nic_a" if self.host == link.a else "nic_b"
        return link.replace(**{end: port.changed(self.set)})


class SysctlChange(Spec, init=False):
    """At a time (s) a sysctl of one host takes a new value."""

    _positional: ClassVar = ("at", "host", "name", "value")
    kind: Literal["sysctl"] = "sysctl"
    at: Duration
    host: StrictStr
    name: Annotated[str, BeforeValidator(per_host_name)]
    value: Annotated[SysctlValue, BeforeValidator(sysctl_value)]


class Command(Spec, init=False):
    """A shell line run on a host at a time (s). `result.commands` has its exit status, what it printed and
    when it ended; `result.output(number)` or `result.output("host")` is what it printed.

    It is root of its host's network. privileged: root of the guest's kernel, too, as mount and unshare need.
    check: if it fails (an exit status other than 0, a signal), `run` warns; False: it may fail. What the end
    of the run ends has not failed.
    """

    _positional: ClassVar = ("host", "command", "at")
    host: StrictStr
    command: StrictStr
    at: Duration = 0.0
    privileged: Annotated[StrictBool, ADDED] = False
    check: Annotated[StrictBool, added(True)] = True

    @model_validator(mode="after")
    def _check(self) -> Command:
        if not self.command.strip() or "\0" in self.command:
            raise SpecError('command must be a shell line such as "ping -c 3 right"')
        return self


LinkChange = Change | NicChange


def as_change(value: Any) -> LinkChange | SysctlChange:
    """A change from a mapping; `kind`, `peer` or `host` tells which."""
    if isinstance(value, Change | NicChange | SysctlChange):
        return value
    if isinstance(value, Mapping) and (value.get("kind") == "nic" or "peer" in value):
        return NicChange.model_validate(value)
    if isinstance(value, Mapping) and (value.get("kind") == "sysctl" or "host" in value):
        return SysctlChange.model_validate(value)
    return Change.model_validate(value)


AnyChange = Annotated[LinkChange | SysctlChange, read_by(as_change)]
