"""pfifo, bfifo: a plain queue of `limit` packets or bytes; pfifo_fast: three of them, by packets' priority.

pyroute2 0.9.7 knows no bfifo, and its pfifo without a limit is one of 0 packets; here it is the
kernel's default, the device's transmit queue length.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labkit.qdiscs.qdisc import Qdisc, plugin, struct
from labkit.qdiscs.readers import packets, size


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, int] | None:
    """struct tc_fifo_qopt, or nothing."""
    return {"limit": int(kwarg["limit"])} if kwarg.get("limit") is not None else None


_PLUGIN = plugin(struct("options", ("limit", "I")), _parameters)

PFIFO = Qdisc("pfifo", _PLUGIN, limit="packets", options={"limit": packets})
BFIFO = Qdisc("bfifo", _PLUGIN, limit="bytes", required=True, options={"limit": size})
PFIFO_FAST = Qdisc("pfifo_fast")
