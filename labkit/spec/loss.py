"""How a wire loses packets. Five kinds; a plain probability stands for the first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from labkit.errors import SpecError
from labkit.schema.base import FaultsError, Spec, read_by
from labkit.units import Duration, Integer, Probability, probability

MAX_DROPS = 1000
SHORTEST_PERIOD_S = 1e-4
"""Of a state in the mean: each end of a period is a message to the kernel."""


class RandomLoss(Spec, init=False):
    """Each packet is lost with probability p, independently of all others."""

    _positional: ClassVar = ("p",)
    kind: Literal["random"] = "random"
    p: Probability


class GilbertElliott(Spec, init=False):
    """Bursts by packets: a good and a bad state (Gilbert 1960, Elliott 1963), netem's `gemodel p r 1-h 1-k`.

    p: probability of going from good to bad at a packet; r: from bad to good; loss_bad (1-h) and
    loss_good (1-k): probability of loss in either state. It starts in the good one.

    The chain takes one step for each packet that comes, and none while none comes: a burst is so many packets
    long (1/r in the mean), however fast they are sent. A flow that stalls in a burst finds the wire as it
    left it each time it tries again: with 1/r = 50 a TCP whose timer doubles can sit in a burst for minutes.
    For a fade or a disturbance, which passes with time, take ContinuousGilbertElliott.
    """

    _positional: ClassVar = ("p", "r")
    kind: Literal["gilbert_elliott"] = "gilbert_elliott"
    p: Probability
    r: Probability
    loss_bad: Probability = 1.0
    loss_good: Probability = 0.0


class ContinuousGilbertElliott(Spec, init=False):
    """Bursts by time: Gilbert's and Elliott's two states, each left after a time, with packets or without.

    The wire is good for an exponentially distributed time with the mean `good` (s), then bad for one with the
    mean `bad` (s), and so on: a two-state Markov chain in continuous time. A packet is lost with the
    probability of the state in which it finds the wire as it comes to it (before the delay): loss_bad or
    loss_good. Of a constant flow (loss_bad bad + loss_good good) / (good + bad) is lost in the mean, and how
    many packets long a burst is depends on how fast they are sent. A flow that stalls in a burst does not
    stay in it: when it tries again, the wire has gone on.

    The chain begins in its stationary distribution: bad with probability bad / (good + bad) at the start, as
    at any other time. Its periods come from the experiment's seed, for each direction of each link their own,
    and depend on nothing else, so that whatever flows there are meet the same ones: the table loss_states.
    A Change of other fields leaves them alone; one to another loss of this kind keeps the state. Means are at
    least 0.1 ms. With each new state netem's correlations (of delay, of reordering) begin anew.

    netem has no such loss: the agent tells it when a state begins (labkit/compile/chains.py).
    """

    _positional: ClassVar = ("good", "bad")
    kind: Literal["continuous_gilbert_elliott"] = "continuous_gilbert_elliott"
    good: Annotated[Duration, Field(ge=SHORTEST_PERIOD_S)] = 1.0
    bad: Annotated[Duration, Field(ge=SHORTEST_PERIOD_S)] = 0.05
    loss_bad: Probability = 1.0
    loss_good: Probability = 0.0


class EveryNth(Spec, init=False):
    """Exactly the n-th, 2n-th, 3n-th, ... packet is lost."""

    _positional: ClassVar = ("n",)
    kind: Literal["every_nth"] = "every_nth"
    n: Annotated[Integer, Field(ge=1, le=2**31)]


def _ascending(numbers: tuple[int, ...]) -> tuple[int, ...]:
    if not 1 <= len(numbers) <= MAX_DROPS:
        raise SpecError(f"{len(numbers)} packets to drop: name 1 to {MAX_DROPS}, or use EveryNth")
    if len(set(numbers)) < len(numbers):
        raise SpecError("a packet can be dropped once only: name each number once")
    return tuple(sorted(numbers))


class DropPackets(Spec, init=False):
    """Exactly these packets are lost, once each; the first packet of the direction is number 1."""

    _positional: ClassVar = ("numbers",)
    kind: Literal["drop_packets"] = "drop_packets"
    numbers: Annotated[tuple[Annotated[Integer, Field(ge=1, le=2**31)], ...], AfterValidator(_ascending)]


LossKind = RandomLoss | GilbertElliott | ContinuousGilbertElliott | EveryNth | DropPackets
_KINDS: dict[str, type[LossKind]] = {
    "random": RandomLoss,
    "gilbert_elliott": GilbertElliott,
    "continuous_gilbert_elliott": ContinuousGilbertElliott,
    "every_nth": EveryNth,
    "drop_packets": DropPackets,
}


def as_loss(value: object) -> Any:
    """A loss from its shorthand: "1%", 0.01 or a mapping with `kind`. No loss at all is always None."""
    if value is None or isinstance(value, LossKind):
        loss = value
    elif isinstance(value, Mapping):
        kind = _KINDS.get(str(value.get("kind", "random")))
        if kind is None:
            raise FaultsError([(("kind",), f"={value['kind']!r}: must be one of {', '.join(_KINDS)}")])
        loss = kind.model_validate(value)
    else:
        loss = RandomLoss(p=probability(value))
    return None if isinstance(loss, RandomLoss) and loss.p == 0 else loss


Loss = Annotated[LossKind | None, read_by(as_loss)]
