"""The queue in front of a rate limit: a qdisc's name, its limit, its parameters and its classes.

What a kind takes, its file in qdiscs/ knows: it is asked here, so that a fault is found where it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    StrictStr,
    field_serializer,
    model_serializer,
    model_validator,
)

from labkit.errors import SpecError
from labkit.qdiscs import KINDS, REFUSED
from labkit.qdiscs.classful import Share, Tree
from labkit.qdiscs.qdisc import Fault
from labkit.schema.base import CANONICAL, FaultsError, Frozen, Spec, did_you_mean, read_by
from labkit.spec.class_checks import class_faults
from labkit.units import BitRate, Integer, Packets, Size, packets, si_number, size


def _scalar(value: object) -> object:
    if isinstance(value, float) and not isfinite(value):
        raise SpecError("not a finite number")
    if not isinstance(value, bool | int | float | str):
        raise SpecError('must be a number, true or false, or text such as "5ms"')
    return value


Scalar = Annotated[bool | int | float | str, read_by(_scalar)]


Port = Annotated[Integer, Field(ge=1, le=65535)]


class Match(Spec, init=False):
    """Which packets belong to a class: those that have all of what is given.

    src, dst: names of hosts; protocol; sport, dport: of TCP or UDP, port: either of the two. mark: skb->mark,
    as set by SO_MARK or nftables, and alone: whatever sets it can look at the rest.
    """

    src: StrictStr | None = None
    dst: StrictStr | None = None
    protocol: Literal["tcp", "udp", "icmp"] | None = None
    port: Port | None = None
    sport: Port | None = None
    dport: Port | None = None
    mark: Annotated[Integer, Field(ge=1, le=2**32 - 1)] | None = None

    @model_serializer(mode="wrap")
    def _given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}

    @model_validator(mode="after")
    def _check(self) -> Match:
        given = {name for name, value in self if value is not None}
        if not given:
            raise SpecError('matches nothing: name what packets have, such as {"port": 80}')
        if "mark" in given and len(given) > 1:
            raise SpecError("mark stands alone: let what sets it look at the rest")
        ports = sorted(given & {"port", "sport", "dport"})
        if "port" in ports and len(ports) > 1:
            raise SpecError(f"port is either end: leave it or {' and '.join(ports[1:])} out")
        if ports and self.protocol == "icmp":
            raise SpecError(f"icmp has no ports: leave {' and '.join(ports)} out")
        return self


def _as_matches(value: Any) -> tuple[Match, ...]:
    """One match, or several of which any will do."""
    if isinstance(value, Match | Mapping):
        return (Match.model_validate(value),)
    if not isinstance(value, list | tuple):
        raise SpecError('write {"port": 80}, or a list of such: any of them will do')
    faults: list[Fault] = []
    found: list[Match] = []
    for i, one in enumerate(value):
        try:
            found.append(Match.model_validate(one))
        except FaultsError as fault:
            faults += fault.under(i).faults
    if faults:
        raise FaultsError(faults)
    return tuple(found)


class QueueClass(Spec, init=False):
    """One class of a queue: what belongs to it, what it is promised, and where it waits.

    match: see Match; a list of them: any will do. rate, ceil: what it gets for sure and at most (htb).
    quantum: bytes in its turn. Unless given, it is a frame with drr; with ets there is none, and the class
    goes first; htb, which shares out by it what classes borrow, takes them in proportion to the rates (the
    slowest has a frame, none more than 200,000 bytes). prio: 0 to 7, who borrows first (htb). queue: of any
    kind without classes; pfifo as long as the device's (1000 packets) unless given.
    """

    _positional: ClassVar = ("name",)
    name: Annotated[StrictStr, Field(min_length=1)]
    match: Annotated[tuple[Match, ...], read_by(_as_matches)] = ()
    rate: BitRate | None = None
    ceil: BitRate | None = None
    prio: Annotated[Integer, Field(ge=0, le=7)] | None = None
    quantum: Annotated[Size, Field(le=2**32 - 1)] | None = None
    queue: Annotated[Queue | None, read_by(lambda value: as_queue(value))] = None

    @model_serializer(mode="wrap")
    def _given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}

    @model_validator(mode="after")
    def _check(self) -> QueueClass:
        if self.queue is None:
            self._default("queue", Queue("pfifo"))
        elif self.queue.classes:
            text = ": classes within a class are not offered: give it a queue without"
            raise FaultsError([(("queue",), text)])
        return self

    @property
    def share(self) -> Share:
        """What it is promised."""
        return Share(self.rate, self.ceil, self.prio, self.quantum)


def _as_class(value: Any) -> QueueClass:
    return QueueClass(value) if isinstance(value, str) else QueueClass.model_validate(value)


class Queue(Spec, init=False):
    """A qdisc of the given kind; what is not set keeps the kernel's default.

    packets, bytes: the limit, whichever of the two the kind counts. options: the qdisc's other parameters by
    tc's names, e.g. {"target": "5ms"}. classes: of htb, prio, drr or ets, in order, each with a queue of its
    own. default: name of the class that gets what matches none; unless given, the only one without a match.
    """

    _positional: ClassVar = ("kind",)
    kind: StrictStr
    packets: Packets | None = None
    bytes: Size | None = None
    options: Annotated[dict[str, Scalar], Field(default_factory=dict), Frozen]
    classes: tuple[Annotated[QueueClass, read_by(_as_class)], ...] = ()
    default: StrictStr | None = None

    @model_validator(mode="before")
    @classmethod
    def _sort_options(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Whatever is not a field is an option; `limit` is packets or bytes."""
        own = {name: value for name, value in data.items() if name in cls.model_fields}
        extra = {name: value for name, value in data.items() if name not in own}
        given = own.get("options") or {}
        if not isinstance(given, Mapping):
            raise SpecError('options must be a mapping such as {"target": "5ms"}')
        options = {**given, **extra}
        kind = KINDS.get(str(own.get("kind")))
        unit = kind.limit if kind else None
        if "limit" in options and unit is not None:
            if own.get(unit) is not None:
                raise SpecError(f"limit= and {unit}= say the same: give one of them")
            own[unit] = options.pop("limit")
        return own | {"options": options}

    @field_serializer("options")
    def _plain(self, options: dict[str, Any], info: SerializationInfo) -> dict[str, Any]:
        """As given; for the digest without units."""
        if info.context != CANONICAL:
            return dict(options)
        return {name: si_number(v) if isinstance(v, str) else v for name, v in options.items()}

    @model_serializer(mode="wrap")
    def _without_classes(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A queue without classes is written as if there were none."""
        plain: dict[str, Any] = handler(self)
        empty = () if self.classes else ("classes", "default")
        return {name: value for name, value in plain.items() if name not in empty}

    @model_validator(mode="after")
    def _check(self) -> Queue:
        if self.kind not in KINDS:
            why = REFUSED.get(self.kind, "is not known" + did_you_mean(self.kind, list(KINDS)))
            raise SpecError(f"{self.kind!r} {why}: queues are {', '.join(KINDS)}")
        qdisc = KINDS[self.kind]
        keywords = qdisc.keywords(self.packets, self.bytes, self.options, classes=bool(self.classes))
        own_map = qdisc.classful is not None and qdisc.classful.own_map in self.options
        if self.default is None and self.classes and not own_map:
            unmatched = [one.name for one in self.classes if not one.match]
            self._default("default", unmatched[0] if unmatched else None)
        named = [(one.name, bool(one.match), one.share) for one in self.classes]
        if faults := class_faults(qdisc, named, self.default, own_map=own_map):
            raise FaultsError(faults)
        if qdisc.classful is not None and self.classes:
            try:
                qdisc.classful.make(self.tree(keywords))
            except ValueError as error:
                raise SpecError(str(error)) from None
        return self

    def tree(self, keywords: Mapping[str, Any], **place: Any) -> Tree:
        """This queue with its classes in a place, by default in one of no network. keywords: of the qdisc
        itself."""
        names = [one.name for one in self.classes]
        where: dict[str, Any] = {
            "index": 1,
            "at": 1,
            "parent": "root",
            "frame": 1514,
            "rate": 10**6,
            "slack_s": 0.0,
        } | place
        default = names.index(self.default) + 1 if self.default is not None else 0
        return Tree(shares=[one.share for one in self.classes], default=default, keywords=keywords, **where)


def as_queue(value: object) -> Any:
    """A queue from its shorthand: "100p", "64kB", a qdisc's name, or a mapping with `kind`."""
    if value is None or isinstance(value, Queue):
        return value
    if isinstance(value, Mapping):
        return Queue.model_validate(value)
    if not isinstance(value, str) or value.strip().isdecimal():
        raise SpecError('write "100p" (packets), "64kB" (bytes) or a qdisc such as "fq_codel"')
    if not value[:1].isdigit():
        return Queue(value)
    if value.endswith("p"):
        return Queue("pfifo", packets=packets(value))
    return Queue("bfifo", bytes=size(value))


QueueClass.model_rebuild()
Queue.model_rebuild()
OptionalQueue = Annotated[Queue | None, read_by(as_queue)]
DEFAULT_QUEUE = Queue("pfifo", packets=100)
