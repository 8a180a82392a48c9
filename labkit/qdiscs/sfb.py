"""
sfb
+++

Stochastic fair blue in the form of a pyroute2 tc plug-in. `rehash` and `db` in milliseconds, `limit`,
`max`, `target` in packets, `increment` and `decrement` probabilities from 0 to 1, `penalty_rate` in
packets/s, `penalty_burst` in packets. Defaults are the kernel's (sfb_default_ops).
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

parent = TC_H_ROOT

_MAX_PROB = 0xFFFF


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
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


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_SFB_* (include/uapi/linux/pkt_sched.h)."""

    nla_flags = NLA_F_NESTED
    nla_map = (("TCA_SFB_UNSPEC", "none"), ("TCA_SFB_PARMS", "sfb_parms"))

    class sfb_parms(nla):  # noqa: N801
        """struct tc_sfb_qopt."""

        fields = tuple(
            (name, "I")
            for name in (
                "rehash_interval",
                "warmup_time",
                "max",
                "bin_size",
                "increment",
                "decrement",
                "limit",
                "penalty_rate",
                "penalty_burst",
            )
        )
