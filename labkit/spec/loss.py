"""How a wire loses packets. Four kinds; a plain probability stands for the first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from labkit.errors import SpecError
from labkit.schema.base import FaultsError, Spec, read_by
from labkit.units import Integer, Probability, probability

MAX_DROPS = 1000


class RandomLoss(Spec, init=False):
    """Each packet is lost with probability p, independently of all others."""

    _positional: ClassVar = ("p",)
    kind: Literal["random"] = "random"
    p: Probability


class GilbertElliott(Spec, init=False):
    """Bursts: a good and a bad state (Gilbert 1960, Elliott 1963), as netem's `loss gemodel p r 1-h 1-k`.

    p: probability of going from good to bad at a packet; r: from bad to good; loss_bad (1-h) and
    loss_good (1-k): probability of loss in either state.
    """

    _positional: ClassVar = ("p", "r")
    kind: Literal["gilbert_elliott"] = "gilbert_elliott"
    p: Probability
    r: Probability
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


LossKind = RandomLoss | GilbertElliott | EveryNth | DropPackets
_KINDS: dict[str, type[LossKind]] = {
    "random": RandomLoss,
    "gilbert_elliott": GilbertElliott,
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
