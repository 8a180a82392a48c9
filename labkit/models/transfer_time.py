"""How long a transfer takes over a lossy line by Padhye's model; a form to fit, with its two times free."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments, padhye
from labkit.models.fitting import Floats, Form

MSS = 1448
"""Bytes of payload in a packet."""
_LEAST_S = 1e-4
"""Shorter times are taken for this: where timeouts are all, the round trip would fall to nothing."""


def transfer_time(loss_percent: Any, rtt: Any, t0: Any, size: float, line_s: float) -> Any:
    """Seconds for `size` bytes: at the rate of `padhye.throughput` (b = 1: Linux counts packets), or line_s,
    what it takes without loss, if that is longer. rtt, t0: s.

    It takes the transfer for a piece of an endless one: slow start, handshake and the last packets are left
    out, and a short transfer has few losses or none. line_s at 0 %, infinite at 100 %. Raises SpecError.
    """
    size, line_s = (
        arguments.scalar(arguments.positive, "size", size),
        arguments.scalar(arguments.positive, "line_s", line_s),
    )
    p = arguments.array("loss_percent", loss_percent) / 100
    try:
        rate = padhye.throughput(p, rtt, t0, b=1)
    except ValueError as error:
        said = (f"{name}={arguments.shown(value)}" for name, value in (("rtt", rtt), ("t0", t0)))
        raise SpecError(f"loss_percent={arguments.shown(loss_percent)}, {', '.join(said)}: {error}") from None
    with np.errstate(divide="ignore"):
        return np.maximum(line_s, size / MSS / rate)


def padhye_form(size: float, line_s: float) -> Form:
    """`transfer_time` over the loss in per cent, its round trip and its first timeout left free (s). Raises
    SpecError."""
    size, line_s = (
        arguments.scalar(arguments.positive, "size", size),
        arguments.scalar(arguments.positive, "line_s", line_s),
    )

    def function(x: Any, rtt: Any, t0: Any) -> Any:
        return transfer_time(x, np.maximum(abs(rtt), _LEAST_S), np.maximum(abs(t0), _LEAST_S), size, line_s)

    def start(x: Floats, y: Floats, sigma: Floats) -> tuple[float, float]:
        """Of a grid of both times the pair that is off least."""
        rtt, t0 = np.meshgrid(np.geomspace(1e-4, 2, 40), np.geomspace(1e-3, 20, 40))
        said = function(x[:, None, None], rtt, t0)
        off = (((y[:, None, None] - said) / sigma[:, None, None]) ** 2).sum(axis=0)
        best = np.unravel_index(int(np.argmin(off)), off.shape)
        return float(rtt[best]), float(t0[best])

    return Form("Padhye", ("RTT", "T0"), function, start)
