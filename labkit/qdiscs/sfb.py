"""sfb: stochastic fair blue. `limit`, `max`, `target` in packets, `penalty_rate` in packets/s. Defaults are
the kernel's (sfb_default_ops)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labkit.qdiscs.qdisc import Qdisc, nested, plugin, struct
from labkit.qdiscs.readers import chance, count, ms, packets

_MAX_PROB = 0xFFFF
_FIELDS = (
    ("rehash_interval", "I"),
    ("warmup_time", "I"),
    ("max", "I"),
    ("bin_size", "I"),
    ("increment", "I"),
    ("decrement", "I"),
    ("limit", "I"),
    ("penalty_rate", "I"),
    ("penalty_burst", "I"),
)


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """TCA_OPTIONS in full: the struct goes whole or not at all."""
    parms = {
        "rehash_interval": int(kwarg.get("rehash", 600_000)),
        "warmup_time": int(kwarg.get("db", 60_000)),
        "max": int(kwarg.get("max", 25)),
        "bin_size": int(kwarg.get("target", 20)),
        "increment": round(kwarg.get("increment", 1 / 1000) * _MAX_PROB),
        "decrement": round(kwarg.get("decrement", 1 / 6000) * _MAX_PROB),
        "limit": int(kwarg.get("limit", 0)),
        "penalty_rate": int(kwarg.get("penalty_rate", 10)),
        "penalty_burst": int(kwarg.get("penalty_burst", 20)),
    }
    return {"attrs": [["TCA_SFB_PARMS", parms]]}


_QOPT = struct("sfb_qopt", *_FIELDS)

QDISC = Qdisc(
    "sfb",
    plugin(nested([("TCA_SFB_PARMS", "sfb_qopt")], sfb_qopt=_QOPT), _parameters),
    limit="packets",
    options={
        "rehash": ms,
        "db": ms,
        "limit": packets,
        "max": packets,
        "target": packets,
        "increment": chance,
        "decrement": chance,
        "penalty_rate": count,
        "penalty_burst": count,
    },
    marks=20,
    early=True,
)
