"""The queue in front of a rate limit: a qdisc's name, its limit and its parameters.

What a kind takes, its file in qdiscs/ knows: it is asked here, so that a fault is found where it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, ClassVar

from pydantic import Field, SerializationInfo, StrictStr, field_serializer, model_validator

from labkit.errors import SpecError
from labkit.qdiscs import KINDS, REFUSED
from labkit.schema.base import CANONICAL, Frozen, Spec, did_you_mean, read_by
from labkit.units import Packets, Size, packets, si_number, size


def _scalar(value: object) -> object:
    if isinstance(value, float) and not isfinite(value):
        raise SpecError("not a finite number")
    if not isinstance(value, bool | int | float | str):
        raise SpecError('must be a number, true or false, or text such as "5ms"')
    return value


Scalar = Annotated[bool | int | float | str, read_by(_scalar)]


class Queue(Spec, init=False):
    """A qdisc of the given kind; what is not set keeps the kernel's default.

    packets, bytes: the limit, whichever of the two the kind counts. options: the qdisc's other
    parameters by tc's names, e.g. {"target": "5ms"}.
    """

    _positional: ClassVar = ("kind",)
    kind: StrictStr
    packets: Packets | None = None
    bytes: Size | None = None
    options: Annotated[dict[str, Scalar], Field(default_factory=dict), Frozen]

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

    @model_validator(mode="after")
    def _check(self) -> Queue:
        if self.kind not in KINDS:
            why = REFUSED.get(self.kind, "is not known" + did_you_mean(self.kind, list(KINDS)))
            raise SpecError(f"{self.kind!r} {why}: queues are {', '.join(KINDS)}")
        KINDS[self.kind].keywords(self.packets, self.bytes, self.options)
        return self


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


OptionalQueue = Annotated[Queue | None, read_by(as_queue)]
DEFAULT_QUEUE = Queue("pfifo", packets=100)
