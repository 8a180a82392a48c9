"""Losses whose chain runs by time. The kernel has none of this kind: at instants that the agent draws,
whether or not packets come, it tells the wire's netem in turn how much to lose. What is on the wire stays.

With each such change netem's own random numbers begin anew: the agent draws a seed for each, from a stream
that is not the periods'.
"""

from __future__ import annotations

from collections.abc import Callable

from labkit import units
from labkit.compile.layout import DirectedPath
from labkit.compile.steps import ChainStep, wire_seed
from labkit.program import records
from labkit.spec import ContinuousGilbertElliott, Direction

StateMessage = Callable[[float, int], bytes]
"""(share to lose, seed) -> the message that tells a wire so."""


def of(
    way: DirectedPath,
    now: Direction,
    message_of: StateMessage,
    *,
    seed: int,
    number: int,
    others: tuple[Direction, ...] = (),
) -> list[ChainStep]:
    """What a loss by time needs besides the wire that is there. others: states in which the way may have
    been: a chain of theirs goes on with the new messages, or ends. seed, number: as of `links.change`."""
    states = (now, *others)
    if way.leave is None or not any(isinstance(state.loss, ContinuousGilbertElliott) for state in states):
        return []
    why = f"losses by time, {way.out.host} to {way.into.host}"
    if not isinstance(now.loss, ContinuousGilbertElliott):
        return [ChainStep(way.leave.ns, records.chain(way.leave.index, (0, 0), (0, 0), 0, []), why)]
    messages = [message_of(share, 0) for share in (now.loss.loss_good, now.loss.loss_bad)]
    other = message_of(now.loss.loss_good, 2**64 - 1)  # differs in the seed alone: that is where it is
    draw_at = next(i for i, (a, b) in enumerate(zip(messages[0], other, strict=True)) if a != b)
    means = units.ns(now.loss.good), units.ns(now.loss.bad)
    chain, draws = (
        wire_seed(seed, way.out.host, way.into.host, f"{what} {number}") for what in ("chain", "draws")
    )
    return [
        ChainStep(way.leave.ns, records.chain(way.leave.index, means, (chain, draws), draw_at, messages), why)
    ]
