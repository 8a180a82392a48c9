"""
tbf
+++

The token bucket in the form of a pyroute2 tc plug-in. Replaces the plug-in of pyroute2 0.9.7, whose
burst is a time in ticks of 64 ns and rounds away at high rates: the burst here is TCA_TBF_BURST, in
bytes, and exact at every rate. No rate table is sent: the kernel wants one only when the link layer
is not named (tbf_change() in net/sched/sch_tbf.c)::

    ip.tc("add", "tbf", index, handle="1:", rate=10_000_000, burst=1514, limit=64_000)

`rate` and `peakrate` are bit/s, `burst` and `mtu` (the peak rate's burst) bytes, `limit` the bytes of
the fifo inside, from which `latency_ns` may be given instead.

A change of a tbf hands its limit to a pfifo or bfifo that hangs below it, in *that* queue's unit
(fifo_set_limit()): give the child's limit again then. Other children are left alone.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import nla
from pyroute2.netlink.rtnl import TC_H_ROOT

from labkit.netlink.quantities import U32_MAX, byte_rate, ticks

parent = TC_H_ROOT

_LINKLAYER_ETHERNET = 1
_NS = 10**9


def fix_request(request: dict[str, Any]) -> None:
    """`rate` is tbf's, not the message's TCA_RATE."""
    request.pop("rate", None)


def _limit(kwarg: dict[str, Any], rate: int, burst: int) -> int:
    """The fifo's bytes; from a latency, what drains in that time on top of a burst."""
    if kwarg.get("limit") is not None:
        limit = int(kwarg["limit"])
    elif kwarg.get("latency_ns") is not None:
        limit = rate * int(kwarg["latency_ns"]) // _NS + burst
    else:
        raise ValueError("tbf: give limit (bytes) or latency_ns")
    if limit < 1:
        raise ValueError(f"tbf: limit={limit}: at least 1 byte, or nothing can wait")
    return min(limit, U32_MAX)


def _bucket(kind: str, rate: int, size: int) -> dict[str, Any]:
    """One struct tc_ratespec."""
    return {f"{kind}_linklayer": _LINKLAYER_ETHERNET if size else 0, kind: min(rate, U32_MAX)}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    rate, burst = byte_rate(kwarg["rate"]), int(kwarg["burst"])
    if not 1 <= burst <= U32_MAX:
        raise ValueError(f"tbf: burst={burst}: at least one frame, 1514 bytes for an MTU of 1500")
    parms = _bucket("rate", rate, burst)
    parms |= {"limit": _limit(kwarg, rate, burst), "buffer": ticks(burst * _NS // rate)}
    attrs: list[list[Any]] = [["TCA_TBF_PARMS", parms], ["TCA_TBF_BURST", burst]]
    if rate > U32_MAX:
        attrs.append(["TCA_TBF_RATE64", rate])
    if kwarg.get("peakrate"):
        peak, mtu = byte_rate(kwarg["peakrate"]), int(kwarg.get("mtu", 0))
        if peak <= rate or not mtu:
            raise ValueError("tbf: peakrate must exceed rate and needs mtu (bytes)")
        parms |= _bucket("peak", peak, mtu) | {"mtu": ticks(mtu * _NS // peak)}
        attrs.append(["TCA_TBF_PBURST", mtu])
        if peak > U32_MAX:
            attrs.append(["TCA_TBF_PRATE64", peak])
    return {"attrs": attrs}


def _ratespec(kind: str) -> tuple[tuple[str, str], ...]:
    """The fields of struct tc_ratespec."""
    return (
        (f"{kind}_cell_log", "B"),
        (f"{kind}_linklayer", "B"),
        (f"{kind}_overhead", "H"),
        (f"{kind}_cell_align", "h"),
        (f"{kind}_mpu", "H"),
        (kind, "I"),
    )


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_TBF_* (include/uapi/linux/pkt_sched.h)."""

    nla_map = (
        ("TCA_TBF_UNSPEC", "none"),
        ("TCA_TBF_PARMS", "tbf_parms"),
        ("TCA_TBF_RTAB", "binary"),
        ("TCA_TBF_PTAB", "binary"),
        ("TCA_TBF_RATE64", "uint64"),
        ("TCA_TBF_PRATE64", "uint64"),
        ("TCA_TBF_BURST", "uint32"),
        ("TCA_TBF_PBURST", "uint32"),
        ("TCA_TBF_PAD", "hex"),
    )

    class tbf_parms(nla):  # noqa: N801
        """struct tc_tbf_qopt."""

        fields = (*_ratespec("rate"), *_ratespec("peak"), ("limit", "I"), ("buffer", "I"), ("mtu", "I"))
