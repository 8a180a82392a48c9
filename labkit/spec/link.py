"""A link: two directions, each a rate with its queue and a wire with delay and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictStr, model_validator

from labkit.errors import SpecError
from labkit.schema.base import ADDED, FaultsError, Loc, Spec, read_by
from labkit.schema.partial import Partial
from labkit.spec.loss import Loss, RandomLoss
from labkit.spec.nic import Nic, NicField, not_with_nic, ports
from labkit.spec.queue import DEFAULT_QUEUE, OptionalQueue
from labkit.spec.traced_rate import SLOWEST, Trace
from labkit.units import BitRate, Duration, Integer, Packets, Probability

LONGEST_CABLE_S = 10
LARGEST_JITTER_S = 2.147483647
"""What netem has room for: 2^31 - 1 ns."""


def _as_trace(value: Any) -> Trace | None:
    return None if value is None else Trace.model_validate(value)


class Direction(Spec, init=False):
    """One way over a link: rate and queue, then the wire.

    rate: bit/s, counted in Ethernet frames as tbf does; None is no limit: see `pair`. A Trace given as the
    rate becomes `trace`, which the rate then follows, and `rate` is its mean. queue: what waits for
    the rate (pfifo of 100 packets unless given). delay, jitter: seconds. reorder: the share of packets
    sent at once, ahead of those being delayed. wire_limit: most packets on the wire at once; None
    never drops. Correlations are shares from 0 to 1, as in netem.
    """

    rate: Annotated[BitRate, Field(ge=SLOWEST)] | None = None
    queue: OptionalQueue = None
    delay: Duration = 0.0
    jitter: Annotated[Duration, Field(le=LARGEST_JITTER_S)] = 0.0
    distribution: Literal["uniform", "normal", "pareto", "paretonormal"] = "uniform"
    delay_correlation: Probability = 0.0
    loss: Loss = None
    loss_correlation: Probability = 0.0
    corrupt: Probability = 0.0
    duplicate: Probability = 0.0
    reorder: Probability = 0.0
    reorder_correlation: Probability = 0.0
    wire_limit: Packets | None = None
    trace: Annotated[Annotated[Trace, read_by(_as_trace)] | None, ADDED] = None

    @model_validator(mode="before")
    @classmethod
    def _traced(cls, data: dict[str, Any]) -> dict[str, Any]:
        """A Trace, or a mapping that is one, may be given as the rate."""
        rate = data.get("rate")
        if isinstance(rate, Trace | Mapping):
            if data.get("trace") is not None:
                raise FaultsError([(("trace",), ": given twice: as rate and as trace")])
            data = {**data, "trace": _trace(rate, "rate")}
        elif data.get("trace") is None:
            return data
        else:
            data = {**data, "trace": _trace(data["trace"], "trace")}
            if rate not in (None, data["trace"].mean):
                text = (
                    f"={rate!r}: the rate follows the trace, whose mean is {data['trace'].mean}: leave it out"
                )
                raise FaultsError([(("rate",), text)])
        return {**data, "rate": data["trace"].mean}

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
            self._default("queue", DEFAULT_QUEUE)
        return self

    @property
    def highest(self) -> int | None:
        """The highest rate (bit/s) that it ever has without a Change; None: no limit."""
        return self.rate if self.trace is None else self.trace.highest

    def changed(self, settings: Mapping[str, Any]) -> Direction:
        """This direction with some fields set anew. Raises SpecError."""
        if self.trace is not None and (fixed := sorted(settings.keys() & {"rate", "queue"})):
            text = ": this way follows a trace, and its rate and queue stay: put other rates into the trace"
            raise FaultsError([((name,), text) for name in fixed])
        fields = dict(self) | dict(settings)
        if fields["rate"] is None and "queue" not in settings:
            fields["queue"] = None
        return Direction(**fields)


WAY: Partial = Partial(Direction, without=("trace",))
"""Each field of a Direction by itself; a trace begins with the run."""


def _trace(value: Any, name: str) -> Trace:
    try:
        return Trace.model_validate(value)
    except FaultsError as fault:
        raise fault.under(name) from None


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


def _naming(link: Mapping[str, Any], faults: list[tuple[Loc, str]]) -> list[tuple[Loc, str]]:
    """The faults; those in a queue's options say whose queue it is: a shape may have made the link."""
    which = f" (link {link.get('a')}-{link.get('b')})"
    return [(loc, text + which if "queue" in loc[:-1] else text) for loc, text in faults]


def _besides_delay(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a Direction that were given a value of their own, delay left out."""
    plain = {name: field.default for name, field in Direction.model_fields.items()}
    return {name: v for name, v in given.items() if name != "delay" and name in plain and v != plain[name]}


_PLAIN: dict[str, tuple[Callable[[float], bool], str, str, str]] = {
    "rate": (lambda value: 0 < value <= 1000, "bit/s", "mbit", "bit"),
    **dict.fromkeys(("delay", "jitter"), (lambda value: value >= 1, "seconds", "ms", "s")),
}
"""Plain numbers that hardly anybody means: which, what they are in, the unit that is meant, and their own."""


def without_unit(given: Mapping[str, Any]) -> list[tuple[Loc, str]]:
    """The faults of fields that somebody wrote for a link: rate=11 and delay=15, as in Mininet, are 11 bit/s
    and 15 s."""
    faults: list[tuple[Loc, str]] = []
    for name, (unlikely, unit, meant, own) in _PLAIN.items():
        value = given.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and unlikely(value):
            fix = f'write "{value}{meant}", or "{value}{own}" if that is meant'
            faults.append(((name,), f"={value}: a plain number is in {unit}: {fix}"))
    return faults


def _as_direction(value: Any) -> Direction:
    return Direction.model_validate(value)


DirectionField = Annotated[Direction, read_by(_as_direction)]


class Link(Spec, init=False):
    """A link between hosts a and b; forward is from a to b. mtu in bytes.

    Any field of Direction given to the link itself holds both ways; `forward` and `backward`
    override it field by field. There a plain rate up to 1000 (bit/s) and a plain delay of 1 or more (s) are
    refused: write the unit.

    nic: the link is a cable between two ports of the teaching NIC, both like this; `nic_a` and `nic_b`
    override it field by field. Of a Direction's fields such a link has delay only, the cable's.
    """

    _positional: ClassVar = ("a", "b")
    _shorthands: ClassVar = (*Direction.model_fields, "nic")
    a: StrictStr
    b: StrictStr
    mtu: Annotated[Integer, Field(ge=68, le=65535)] = 1500
    forward: DirectionField = Field(default_factory=Direction)
    backward: DirectionField = Field(default_factory=Direction)
    nic_a: Annotated[NicField, ADDED] = None
    nic_b: Annotated[NicField, ADDED] = None

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Give what is said of the link to both directions and both ports."""
        shared = {name: value for name, value in data.items() if name in Direction.model_fields}
        nics = ports(data)
        rest = {name: value for name, value in data.items() if name not in shared and name != "nic"} | nics
        faults = without_unit(shared) + (not_with_nic(_besides_delay(shared)) if nics else [])
        for way in ("forward", "backward"):
            own = _own(way, data.get(way))
            if nics:
                faults += [((way, *loc), text) for loc, text in not_with_nic(_besides_delay(own))]
            if faults:
                continue
            try:
                rest[way] = Direction(**(shared | own))
            except FaultsError as fault:
                said_of_both = shared.keys() - own.keys()
                for loc, text in fault.faults:
                    faults.append((loc if loc[:1] and loc[0] in said_of_both else (way, *loc), text))
        if faults:
            raise FaultsError(_naming(data, list(dict.fromkeys(faults))))
        return rest

    @model_validator(mode="after")
    def _check(self) -> Link:
        if self.a == self.b:
            raise SpecError(f"joins {self.a!r} with itself: name two hosts")
        for way in ("forward", "backward") if self.nic_a is not None else ():
            if (delay := getattr(self, way).delay) > LONGEST_CABLE_S:
                text = f'={delay}: a cable between two ports takes at most {LONGEST_CABLE_S} s: write "5us"'
                raise FaultsError([((way, "delay"), text)])
        return self

    def port(self, host: str) -> Nic | None:
        """The port at one end, None if this link has none. Raises SpecError."""
        if host not in self.ends:
            raise SpecError(f"link {self.a}-{self.b}: does not end at {host!r}")
        return self.nic_a if host == self.a else self.nic_b

    @property
    def ends(self) -> frozenset[str]:
        """The two hosts, in no order."""
        return frozenset((self.a, self.b))
