"""
pfifo, bfifo
++++++++++++

A plain queue of `limit` packets or bytes. pyroute2 0.9.7 knows no bfifo, and its pfifo without a limit
is one of 0 packets; here it is the kernel's default, the device's transmit queue length.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import nla
from pyroute2.netlink.rtnl import TC_H_ROOT

parent = TC_H_ROOT


def get_parameters(kwarg: dict[str, Any]) -> dict[str, int] | None:
    """struct tc_fifo_qopt, or nothing."""
    return {"limit": int(kwarg["limit"])} if kwarg.get("limit") is not None else None


class options(nla):  # noqa: N801 - pyroute2 names it so
    """struct tc_fifo_qopt."""

    fields = (("limit", "I"),)
