"""Whether experiments are shaken as they enter the lab: LABKIT_SHAKE, the number of a shake, says so.

`make claims` sets it. Without it nothing is done.
"""

from __future__ import annotations

import os

from labkit.errors import SetupError
from labkit.spec import Experiment, LinkChange
from labkit.traffic.kind import Traffic

VARIABLE = "LABKIT_SHAKE"
MOST = 10**6


def shake() -> int:
    """The number of the shake, 0: none. Raises SetupError."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST):
        fix = f"write the number of a shake, 1 to {MOST}, or leave it out"
        raise SetupError(f"{VARIABLE}={text!r}: {fix}")
    return int(text)


def entered(exp: Experiment) -> Experiment:
    """The experiment as it is carried out: as it is, or shaken. Raises SetupError, SpecError."""
    if not (number := shake()):
        return exp
    from labkit.spec.shaken import shaken

    return shaken(exp, number)


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
