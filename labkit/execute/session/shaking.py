"""Whether experiments are shaken as they enter the lab: LABKIT_SHAKE, the number of a shake, says so, and
LABKIT_SHAKE_TIME how many times as long they are then.

`make claims` sets both. Without the first nothing is done.
"""

from __future__ import annotations

import os

from labkit.errors import SetupError
from labkit.spec import Experiment, LinkChange
from labkit.traffic.kind import Traffic

VARIABLE, LONGER = "LABKIT_SHAKE", "LABKIT_SHAKE_TIME"
MOST, LONGEST = 10**6, 100


def shake() -> int:
    """The number of the shake, 0: none. Raises SetupError."""
    return _number(VARIABLE, MOST, "the number of a shake") or 0


def times() -> int:
    """How many times as long an experiment is while it is shaken. Raises SetupError."""
    return _number(LONGER, LONGEST, "how many times as long") or 1


def _number(variable: str, most: int, what: str) -> int | None:
    text = os.environ.get(variable, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= most):
        raise SetupError(f"{variable}={text!r}: write {what}, 1 to {most}, or leave it out")
    return int(text)


def entered(exp: Experiment) -> Experiment:
    """The experiment as it is carried out: as it is, or shaken. Raises SetupError, SpecError."""
    if not (number := shake()):
        return exp
    from labkit.spec.shaken import shaken

    return shaken(exp, number, times())


def started(exp: Experiment, flow: Traffic) -> Traffic:
    """The flow as it is started in an open laboratory of this experiment."""
    if not exp.shaken:
        return flow
    from labkit.spec.shaken import latest, moved_flow

    return moved_flow(flow, exp.shaken, latest(flow, exp.topology))


def changed(exp: Experiment, change: LinkChange) -> list[LinkChange]:
    """The change as it is carried out in an open laboratory of this experiment."""
    if not exp.shaken:
        return [change]
    from labkit.spec.shaken import moved_change

    return moved_change(change, exp.shaken)
