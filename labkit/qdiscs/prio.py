"""prio: strict priorities. pyroute2 0.9.7 sends 0 bands unless told, which the kernel refuses: `bands` is 3
and `priomap` (a band for each of 16 priorities) that of pfifo_fast unless given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_pfifo_fast

from labkit.qdiscs.base import Qdisc, plugin
from labkit.qdiscs.readers import count, numbers

_PRIOMAP = (1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
_BANDS = 16


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """struct tc_prio_qopt. Raises ValueError."""
    bands, priomap = int(kwarg.get("bands", 3)), tuple(kwarg.get("priomap", _PRIOMAP))
    if not 2 <= bands <= _BANDS:
        raise ValueError(f"prio: bands={bands}: 2 to {_BANDS}")
    if len(priomap) != len(_PRIOMAP) or not all(0 <= band < bands for band in priomap):
        raise ValueError(f"prio: priomap={priomap}: 16 numbers from 0 to {bands - 1}")
    return {"bands": bands, "priomap": priomap}


QDISC = Qdisc(
    "prio",
    plugin(sched_pfifo_fast.options, _parameters),
    options={"bands": count, "priomap": numbers},
)
