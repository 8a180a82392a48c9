"""A link: two directions, each a rate with its queue and a wire with delay and faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field, StrictStr, TypeAdapter, ValidationError, model_validator

from labkit.errors import SpecError
from labkit.spec.base import FaultsError, Loc, Spec, faults_of, no_field, read_by
from labkit.spec.loss import Loss, RandomLoss
from labkit.spec.queue import DEFAULT_QUEUE, OptionalQueue
from labkit.units import BitRate, Duration, Integer, Packets, Probability


class Direction(Spec, init=False):
    """One way over a link: rate and queue, then the wire.

    rate: bit/s, counted in Ethernet frames as tbf does; None is no limit. queue: what waits for the
    rate (pfifo of 100 packets unless given). delay, jitter: seconds. reorder: the share of packets
    sent at once, ahead of those being delayed. wire_limit: most packets on the wire at once; None
    never drops. Correlations are shares from 0 to 1, as in netem.
    """

    rate: BitRate | None = None
    queue: OptionalQueue = None
    delay: Duration = 0.0
    jitter: Duration = 0.0
    distribution: Literal["uniform", "normal", "pareto", "paretonormal"] = "uniform"
    delay_correlation: Probability = 0.0
    loss: Loss = None
    loss_correlation: Probability = 0.0
    corrupt: Probability = 0.0
    duplicate: Probability = 0.0
    reorder: Probability = 0.0
    reorder_correlation: Probability = 0.0
    wire_limit: Packets | None = None

    @model_validator(mode="after")
    def _check(self) -> Direction:
        faults: list[tuple[Loc, str]] = []
        if self.rate is None and self.queue is not None:
            text = ': nothing waits without a rate: write rate="10mbit" as well'
            faults.append((("queue",), text))
        if self.jitter > self.delay:
            text = f"={self.jitter}: must not exceed delay ({self.delay}): raise delay or lower jitter"
            faults.append((("jitter",), text))
        if self.reorder and not self.delay:
            text = ': only a delayed packet can be overtaken: write delay="10ms" as well'
            faults.append((("reorder",), text))
        if self.loss_correlation and self.loss and not isinstance(self.loss, RandomLoss):
            text = f": goes with RandomLoss, not with {type(self.loss).__name__}: leave it out"
            faults.append((("loss_correlation",), text))
        if faults:
            raise FaultsError(faults)
        if self.rate is not None and self.queue is None:
            self.__dict__["queue"] = DEFAULT_QUEUE  # not through fields_set: nobody asked for it
        return self

    def changed(self, settings: Mapping[str, Any]) -> Direction:
        """This direction with some fields set anew. Raises SpecError."""
        fields = dict(self) | dict(settings)
        if fields["rate"] is None and "queue" not in settings:
            fields["queue"] = None
        return Direction(**fields)


FIELDS: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(cast("Any", Annotated[field.annotation, name, *field.metadata]))
    for name, field in Direction.model_fields.items()
}
"""Each field of a Direction by itself, for those who set only some of them."""


def set_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Some fields of a Direction, each validated by itself. Raises SpecError."""
    found: dict[str, Any] = {}
    faults: list[tuple[Loc, str]] = []
    for name, value in settings.items():
        if name not in FIELDS:
            faults.append(((name,), no_field(Direction, name)))
            continue
        try:
            found[name] = FIELDS[name].validate_python(value)
        except ValidationError as error:
            faults += faults_of(Direction, error, (name,))
    if faults:
        raise FaultsError(faults)
    return found


def _own(way: str, given: Any) -> dict[str, Any]:
    """The fields that were given for one direction."""
    if given is None:
        return {}
    if isinstance(given, Direction):
        return {name: getattr(given, name) for name in given.model_fields_set}
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    text = ': must be a Direction or a mapping of its fields such as {"delay": "10ms"}'
    raise FaultsError([((way,), text)])


def _as_direction(value: Any) -> Direction:
    return Direction.model_validate(value)


DirectionField = Annotated[Direction, read_by(_as_direction)]


class Link(Spec, init=False):
    """A link between hosts a and b; forward is from a to b. mtu in bytes.

    Any field of Direction given to the link itself holds both ways; `forward` and `backward`
    override it field by field.
    """

    _positional: ClassVar = ("a", "b")
    _shorthands: ClassVar = tuple(Direction.model_fields)
    a: StrictStr
    b: StrictStr
    mtu: Annotated[Integer, Field(ge=68, le=65535)] = 1500
    forward: DirectionField = Field(default_factory=Direction)
    backward: DirectionField = Field(default_factory=Direction)

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Give what is said of the link to both directions."""
        shared = {name: value for name, value in data.items() if name in Direction.model_fields}
        rest = {name: value for name, value in data.items() if name not in shared}
        faults: list[tuple[Loc, str]] = []
        for way in ("forward", "backward"):
            own = _own(way, data.get(way))
            try:
                rest[way] = Direction(**(shared | own))
            except FaultsError as fault:
                said_of_both = shared.keys() - own.keys()
                for loc, text in fault.faults:
                    faults.append((loc if loc[:1] and loc[0] in said_of_both else (way, *loc), text))
        if faults:
            raise FaultsError(list(dict.fromkeys(faults)))
        return rest

    @model_validator(mode="after")
    def _check(self) -> Link:
        if self.a == self.b:
            raise SpecError(f"joins {self.a!r} with itself: name two hosts")
        return self

    @property
    def ends(self) -> frozenset[str]:
        """The two hosts, in no order."""
        return frozenset((self.a, self.b))
