"""
netem
+++++

All of netem up to kernel 6.12, in the form of a pyroute2 tc plug-in. Replaces the plug-in of
pyroute2 0.9.7, which ends at TCA_NETEM_RATE. Times are nanoseconds, rates bit/s, probabilities and
correlations numbers from 0 to 1::

    ip.tc("add", "netem", index, delay_ns=25_000_000, loss=0.01, seed=1)

Parameters: `delay_ns`, `jitter_ns` (under 2^31), `distribution` (uniform, normal, pareto,
paretonormal), `delay_corr`; `limit` (packets, default 2^31 - 1: a wire has no queue); `loss` and
`loss_corr`, or `gemodel` (p, r, h, k1), or `gimodel` (p13, p31, p32, p14, p23, which is the struct's
order and not `tc`'s); `duplicate`, `dup_corr`; `corrupt`, `corrupt_corr`; `reorder`, `reorder_corr`,
`gap`; `rate`, `packet_overhead`, `cell_size`, `cell_overhead`; `ecn`; `seed` (64 bits).

Every message holds the whole state, since a `change` resets some fields that it is not told and
keeps others. One thing it cannot undo: a delay table stays until another one is sent.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import nla
from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import sched_netem as upstream

from labkit.netlink.distributions import delay_table
from labkit.netlink.quantities import U32_MAX, byte_rate, prob32, ticks

parent = TC_H_ROOT

NO_LIMIT = 0x7FFFFFFF
_JITTER_MAX_NS = 2**31 - 1  # netem_change() caps without a word
_GE = ("p", "r", "h", "k1")
_GI = ("p13", "p31", "p32", "p14", "p23")


def fix_request(request: dict[str, Any]) -> None:
    """`rate` is netem's, not the message's TCA_RATE."""
    request.pop("rate", None)


def _loss_model(kwarg: dict[str, Any]) -> list[list[Any]]:
    """TCA_NETEM_LOSS. h is the chance to survive the bad state, k1 the chance to be lost in the good
    one: `tc`'s `gemodel p r 1-h 1-k` (see loss_gilb_ell() in net/sched/sch_netem.c)."""
    for key, kind, names in (("gemodel", "NETEM_LOSS_GE", _GE), ("gimodel", "NETEM_LOSS_GI", _GI)):
        values = kwarg.get(key)
        if values is None:
            continue
        if kwarg.get("loss"):
            raise ValueError(f"loss and {key}: give one of them")
        if len(values) != len(names):
            raise ValueError(f"{key}: give {', '.join(names)}")
        model = {name: prob32(value) for name, value in zip(names, values, strict=True)}
        return [["TCA_NETEM_LOSS", {"attrs": [[kind, model]]}]]
    return []


def _rate(kwarg: dict[str, Any]) -> list[list[Any]]:
    rate = byte_rate(kwarg["rate"]) if kwarg.get("rate") else 0
    fields = {name: kwarg.get(name, 0) for name in ("packet_overhead", "cell_size", "cell_overhead")}
    attrs: list[list[Any]] = [["TCA_NETEM_RATE", {"rate": min(rate, U32_MAX), **fields}]]
    if rate > U32_MAX:
        attrs.append(["TCA_NETEM_RATE64", rate])
    return attrs


def _reorder(kwarg: dict[str, Any]) -> tuple[int, list[Any]]:
    """The gap and TCA_NETEM_REORDER. Without a gap netem never reorders, hence 1, as `tc` has it."""
    gap = kwarg.get("gap", 0)
    if gap and not kwarg.get("reorder"):
        raise ValueError("gap: only counts the packets between two reordered ones: give reorder")
    if kwarg.get("reorder"):
        gap = gap or 1
    value = {
        "prob_reorder": prob32(kwarg.get("reorder", 0)),
        "corr_reorder": prob32(kwarg.get("reorder_corr", 0)),
    }
    return gap, ["TCA_NETEM_REORDER", value]


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    delay, jitter = kwarg.get("delay_ns", 0), kwarg.get("jitter_ns", 0)
    if not 0 <= jitter <= _JITTER_MAX_NS:
        raise ValueError(f"jitter_ns={jitter}: netem takes 0 to {_JITTER_MAX_NS}")
    gap, reorder = _reorder(kwarg)
    correlations = {name: prob32(kwarg.get(name, 0)) for name in ("delay_corr", "loss_corr", "dup_corr")}
    corrupt = {
        "prob_corrupt": prob32(kwarg.get("corrupt", 0)),
        "corr_corrupt": prob32(kwarg.get("corrupt_corr", 0)),
    }
    attrs: list[list[Any]] = [["TCA_NETEM_CORR", correlations]]
    if kwarg.get("distribution"):
        attrs.append(["TCA_NETEM_DELAY_DIST", delay_table(kwarg["distribution"])])
    attrs += [reorder, ["TCA_NETEM_CORRUPT", corrupt], *_loss_model(kwarg), *_rate(kwarg)]
    attrs += [
        ["TCA_NETEM_ECN", int(bool(kwarg.get("ecn", False)))],
        ["TCA_NETEM_LATENCY64", delay],
        ["TCA_NETEM_JITTER64", jitter],
    ]
    if kwarg.get("seed") is not None:
        attrs.append(["TCA_NETEM_PRNG_SEED", kwarg["seed"] % 2**64])
    return {
        "delay": ticks(delay),
        "limit": kwarg.get("limit") or NO_LIMIT,
        "loss": prob32(kwarg.get("loss", 0)),
        "gap": gap,
        "duplicate": prob32(kwarg.get("duplicate", 0)),
        "jitter": ticks(jitter),
        "attrs": attrs,
    }


class options(upstream.options):  # noqa: N801 - pyroute2 names it so
    """struct tc_netem_qopt and the attributes after it (include/uapi/linux/pkt_sched.h)."""

    nla_map = (
        ("TCA_NETEM_UNSPEC", "none"),
        ("TCA_NETEM_CORR", "netem_corr"),
        ("TCA_NETEM_DELAY_DIST", "binary"),
        ("TCA_NETEM_REORDER", "netem_reorder"),
        ("TCA_NETEM_CORRUPT", "netem_corrupt"),
        ("TCA_NETEM_LOSS", "netem_loss"),
        ("TCA_NETEM_RATE", "netem_rate"),
        ("TCA_NETEM_ECN", "uint32"),
        ("TCA_NETEM_RATE64", "uint64"),
        ("TCA_NETEM_PAD", "hex"),
        ("TCA_NETEM_LATENCY64", "int64"),
        ("TCA_NETEM_JITTER64", "int64"),
        ("TCA_NETEM_SLOT", "netem_slot"),
        ("TCA_NETEM_SLOT_DIST", "binary"),
        ("TCA_NETEM_PRNG_SEED", "uint64"),
    )

    class netem_loss(nla):  # noqa: N801
        """One of two Markov models of loss."""

        nla_map = (
            ("NETEM_LOSS_UNSPEC", "none"),
            ("NETEM_LOSS_GI", "netem_gi"),
            ("NETEM_LOSS_GE", "netem_ge"),
        )

        class netem_gi(nla):  # noqa: N801
            """Four states ("general and intuitive")."""

            fields = tuple((name, "I") for name in _GI)

        class netem_ge(nla):  # noqa: N801
            """Gilbert-Elliott."""

            fields = tuple((name, "I") for name in _GE)

    class netem_slot(nla):  # noqa: N801
        """Slotted sending; decoded only."""

        fields = (
            ("min_delay", "q"),
            ("max_delay", "q"),
            ("max_packets", "i"),
            ("max_bytes", "i"),
            ("dist_delay", "q"),
            ("dist_jitter", "q"),
        )
