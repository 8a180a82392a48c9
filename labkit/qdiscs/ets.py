"""
ets
+++

Enhanced transmission selection in the form of a pyroute2 tc plug-in: `bands`, `strict` (how many of
them go strictly first), `quanta` (bytes, one for each other band), `priomap` (a band per priority).
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

parent = TC_H_ROOT


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    strict, quanta = int(kwarg.get("strict", 0)), list(kwarg.get("quanta", ()))
    bands = int(kwarg.get("bands", 0)) or strict + len(quanta)
    if not 1 <= bands <= 16 or bands < strict + len(quanta):
        raise ValueError(f"ets: bands={bands}: 1 to 16, and no fewer than strict and quanta together")
    attrs: list[list[Any]] = [["TCA_ETS_NBANDS", bands]]
    if strict:
        attrs.append(["TCA_ETS_NSTRICT", strict])
    if quanta:
        attrs.append(["TCA_ETS_QUANTA", {"attrs": [["TCA_ETS_QUANTA_BAND", q] for q in quanta]}])
    if kwarg.get("priomap"):
        priomap = [["TCA_ETS_PRIOMAP_BAND", band] for band in kwarg["priomap"]]
        attrs.append(["TCA_ETS_PRIOMAP", {"attrs": priomap}])
    return {"attrs": attrs}


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_ETS_* (include/uapi/linux/pkt_sched.h); the kernel insists on the nested flags."""

    nla_flags = NLA_F_NESTED
    nla_map = (
        ("TCA_ETS_UNSPEC", "none"),
        ("TCA_ETS_NBANDS", "uint8"),
        ("TCA_ETS_NSTRICT", "uint8"),
        ("TCA_ETS_QUANTA", "ets_bands"),
        ("TCA_ETS_QUANTA_BAND", "uint32"),
        ("TCA_ETS_PRIOMAP", "ets_bands"),
        ("TCA_ETS_PRIOMAP_BAND", "uint8"),
    )

    class ets_bands(nla):  # noqa: N801
        """One attribute per band or priority."""

        nla_flags = NLA_F_NESTED
        nla_map = (
            ("TCA_ETS_UNSPEC", "none"),
            ("TCA_ETS_NBANDS", "none"),
            ("TCA_ETS_NSTRICT", "none"),
            ("TCA_ETS_QUANTA", "none"),
            ("TCA_ETS_QUANTA_BAND", "uint32"),
            ("TCA_ETS_PRIOMAP", "none"),
            ("TCA_ETS_PRIOMAP_BAND", "uint8"),
        )
