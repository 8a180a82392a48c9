"""What a queueing discipline is to labkit. One file per kind declares one `Qdisc` with all that is known of
it; here are the form of such a declaration, how options are read by it, and the plug-ins for pyroute2 that
it wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

from labkit.netlink.quantities import U32_MAX
from labkit.qdiscs.classful import Classful
from labkit.qdiscs.readers import Reader
from labkit.schema.base import FaultsError, Loc, did_you_mean

Scalar = bool | int | float | str
Fault = tuple[Loc, str]
_EXAMPLE = {"packets": "100", "bytes": '"64kB"'}


@dataclass(frozen=True)
class Column:
    """A number that the kind's xstats (uapi linux/pkt_sched.h) hold, as a column of the table `aqm`.

    offset: in bytes; meaning: with its unit; type: as numpy writes it; unit: how much one of it is.
    """

    offset: int
    meaning: str
    type: str = "<u4"
    unit: float = 1.0


@dataclass(frozen=True)
class Qdisc:
    """One kind of queue, in the words of its `tc` manual page.

    plugin: makes its message, for pyroute2; None: pyroute2's own is right. limit: what its limit counts,
    None: it has no such option; limit_key: the plug-in's word for it; required: the kernel has no limit of
    its own. options: name -> reader, or (the plug-in's keyword, reader) when the two names differ. aliases:
    words that stand for an option with a value, as `noecn` for ecn=False. marks: where the xstats count
    the packets marked CE instead of dropped. columns: of the table `aqm`. early: it drops packets at its
    entrance before it is full. classful: how it is made with classes. module: of the kernel's own, to be
    loaded into a kernel that has it not built in.
    """

    kind: str
    plugin: Any = None
    limit: Literal["packets", "bytes"] | None = None
    limit_key: str = "limit"
    required: bool = False
    options: Mapping[str, Reader | tuple[str, Reader]] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, Scalar]] = field(default_factory=dict)
    marks: int | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    early: bool = False
    classful: Classful | None = None
    module: str | None = None

    def keywords(
        self, packets: int | None, bytes: int | None, options: Mapping[str, Scalar], *, classes: bool = False
    ) -> dict[str, Any]:
        """What `netlink.message.tc` wants to be told of such a queue.

        packets, bytes: the limit, whichever the kind counts; options: e.g. {"target": "5ms", "ecn": True}.
        The message is computed once, so that values which do not go together fail here, unless it is one with
        classes, or must have some: then `classful.make` tells. Raises FaultsError, each fault at its option.
        """
        found: dict[str, Any] = {}
        faults: list[Fault] = []
        for given, value in options.items():
            name, meant = self._meant(given, value)
            if name not in self.options:
                faults.append(((given,), self._unknown(given)))
                continue
            reader = self.options[name]
            key, read = reader if isinstance(reader, tuple) else (name, reader)
            try:
                found[key] = read(meant)
            except ValueError as error:
                faults.append(((given,), f"={value!r}: {error}"))
        faults += self._limited(packets, bytes, found)
        if not faults and not classes and (self.classful is None or self.classful.optional):
            try:
                getattr(self.plugin, "get_parameters", dict)(dict(found))
            except ValueError as error:
                faults.append(((), f"{self.kind}: {str(error).removeprefix(f'{self.kind}: ')}"))
        if faults:
            raise FaultsError(faults)
        return found

    def _meant(self, given: str, value: Scalar) -> tuple[str, Scalar]:
        name = given.replace("-", "_")
        return self.aliases[name] if value is True and name in self.aliases else (name, value)

    def _unknown(self, given: str) -> str:
        names = sorted({*self.options, *([self.limit] if self.limit else [])})
        listed = ", ".join(names) or "no options"
        return f": {self.kind} has no such option{did_you_mean(given, names)}: it takes {listed}"

    def _limited(self, packets: int | None, bytes: int | None, found: dict[str, Any]) -> list[Fault]:
        """Put the limit where the kind wants it; what is wrong with it."""
        given = {"packets": packets, "bytes": bytes}
        unit = self.limit or "nothing"
        wrong: list[Fault] = [
            ((name,), f": {self.kind} is limited in {unit}: leave {name} out")
            for name, value in given.items()
            if value is not None and name != unit
        ]
        limit = given.get(unit)
        if limit is not None and limit > U32_MAX:
            wrong.append(((unit,), f"={limit}: a limit of {self.kind} is at most {U32_MAX} {unit}"))
        elif limit is not None and self.limit_key in found:
            wrong.append(((), f"{self.limit_key}= and {unit}= say the same: give one of them"))
        elif limit is not None:
            found[self.limit_key] = limit
        elif self.required and self.limit_key not in found and not wrong:
            wrong.append(((), f"{self.kind} has no limit of its own: write {unit}={_EXAMPLE[unit]}"))
        return wrong


def no(*names: str) -> dict[str, tuple[str, Scalar]]:
    """The aliases that switch options off: noecn for ecn=False."""
    return {f"no{name}": (name, False) for name in names}


def plugin(options: type, parameters: Any, upstream: Any = None) -> SimpleNamespace:
    """A plug-in for pyroute2's tcmsg. options: how TCA_OPTIONS is laid out; parameters: computes it;
    upstream: pyroute2's own, for how it reads statistics."""
    found = SimpleNamespace(parent=TC_H_ROOT, options=options, get_parameters=parameters)
    for name in ("stats", "stats2", "fix_request"):
        if hasattr(upstream, name):
            setattr(found, name, getattr(upstream, name))
    return found


def table(names: Mapping[str, str], options: type | None = None, upstream: Any = None) -> SimpleNamespace:
    """A plug-in for a kind that wants one attribute per option, and none for what is not given.

    names: keyword -> attribute, in the order they are sent; options: unless every one is 32 bits wide and
    the order that of the kernel's header.
    """
    if options is None:
        options = nested((name, "uint32") for name in names.values())

    def parameters(kwarg: Mapping[str, Any]) -> dict[str, Any] | None:
        attrs = [[names[key], int(kwarg[key])] for key in names if kwarg.get(key) is not None]
        return {"attrs": attrs} if attrs else None

    return plugin(options, parameters, upstream)


def nested(attributes: Iterable[tuple[str, str]], **classes: type) -> type:
    """TCA_OPTIONS of attributes, each with its type, from number 1 on. Some kinds insist on the nested flag.

    classes: types of their own that the attributes name."""
    nla_map = (("TCA_UNSPEC", "none"), *attributes)
    return type("options", (nla,), {"nla_flags": NLA_F_NESTED, "nla_map": nla_map, **classes})


def struct(name: str, *fields: tuple[str, str]) -> type:
    """An attribute that is a C struct: its fields with their types as `struct` writes them."""
    return type(name, (nla,), {"fields": fields})


def named(prefix: str, names: str) -> dict[str, str]:
    """keyword -> attribute for those whose names differ by a prefix only: target -> TCA_PIE_TARGET."""
    return {name: f"{prefix}_{name.upper()}" for name in names.split()}
