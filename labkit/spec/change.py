"""What happens during an experiment: a link changes, a sysctl is set, a command runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, StrictStr, field_serializer, model_validator

from labkit.errors import SpecError
from labkit.spec.base import Frozen, Spec, read_by
from labkit.spec.link import FIELDS, Direction, Link, set_fields
from labkit.spec.sysctl import SysctlValue, per_host_name, sysctl_value
from labkit.units import Duration


class Change(Spec, init=False):
    """At a time (s) some fields of a link's direction take new values; the others stay as they are.

    link: its two hosts; "forward" is from the first to the second as named here. The fields of
    Direction are given by name, as in Change("10s", ("r1", "r2"), loss="5%"), and end up in `set`.
    """

    _positional: ClassVar = ("at", "link")
    _shorthands: ClassVar = tuple(FIELDS)
    kind: Literal["link"] = "link"
    at: Duration
    link: tuple[StrictStr, StrictStr]
    direction: Literal["both", "forward", "backward"] = "both"
    set: Annotated[dict[str, Any], Frozen]

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: dict[str, Any]) -> dict[str, Any]:
        given = data.get("set", {})
        if not isinstance(given, Mapping):
            raise SpecError('set must be a mapping such as {"loss": "5%"}')
        named = {name: value for name, value in data.items() if name in FIELDS}
        rest = {name: value for name, value in data.items() if name not in FIELDS}
        if twice := given.keys() & named.keys():
            raise SpecError(f"{', '.join(sorted(twice))}: given twice: in set and by name")
        return rest | {"set": set_fields({**given, **named})}

    @model_validator(mode="after")
    def _check(self) -> Change:
        if not self.set:
            raise SpecError('changes nothing: name a field of Direction, such as loss="5%"')
        return self

    @field_serializer("set")
    def _plain(self, value: dict[str, Any]) -> dict[str, Any]:
        return {name: FIELDS[name].dump_python(field, mode="json") for name, field in value.items()}

    def apply(self, link: Link) -> Link:
        """The whole link after this change. Raises SpecError if the fields do not go together."""
        ways = ["forward", "backward"] if self.direction == "both" else [self.direction]
        if self.link == (link.b, link.a):
            ways = [{"forward": "backward", "backward": "forward"}[way] for way in ways]
        new: dict[str, Direction] = {way: getattr(link, way).changed(self.set) for way in ways}
        return link.replace(**new)


class SysctlChange(Spec, init=False):
    """At a time (s) a sysctl of one host takes a new value."""

    _positional: ClassVar = ("at", "host", "name", "value")
    kind: Literal["sysctl"] = "sysctl"
    at: Duration
    host: StrictStr
    name: Annotated[str, BeforeValidator(per_host_name)]
    value: Annotated[SysctlValue, BeforeValidator(sysctl_value)]


class Command(Spec, init=False):
    """A shell line run on a host at a time (s)."""

    _positional: ClassVar = ("host", "command", "at")
    host: StrictStr
    command: StrictStr
    at: Duration = 0.0

    @model_validator(mode="after")
    def _check(self) -> Command:
        if not self.command.strip() or "\0" in self.command:
            raise SpecError('command must be a shell line such as "ping -c 3 right"')
        return self


def as_change(value: Any) -> Change | SysctlChange:
    """A Change or a SysctlChange from a mapping; `kind` or `host` tells which."""
    if isinstance(value, Change | SysctlChange):
        return value
    if isinstance(value, Mapping) and (value.get("kind") == "sysctl" or "host" in value):
        return SysctlChange.model_validate(value)
    return Change.model_validate(value)


AnyChange = Annotated[Change | SysctlChange, read_by(as_change)]
