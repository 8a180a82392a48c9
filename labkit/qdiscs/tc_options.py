"""Which options each qdisc takes, as the `tc` manual pages name them (dashes or underscores), and how
each is read. Data; leaf.py acts on it.

An entry is a reader, or the plug-in's keyword and a reader when the two names differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit import units

Reader = Callable[[Any], Any]
_U32_MAX = 2**32 - 1


def _us(value: Any) -> int:
    """Whole microseconds, which is what most qdiscs count in."""
    time_ns = units.ns(units.seconds(value))
    if time_ns % 1000:
        raise ValueError("is counted in whole microseconds")
    return _u32(time_ns // 1000)


def _ns(value: Any) -> int:
    return _u32(units.ns(units.seconds(value)))


def _ms(value: Any) -> int:
    return _u32(round(units.seconds(value) * 1000))


def _whole_s(value: Any) -> int:
    time_s = units.seconds(value)
    if time_s != int(time_s):
        raise ValueError("is counted in whole seconds")
    return int(time_s)


def _u32(number: int) -> int:
    if not 0 <= number <= _U32_MAX:
        raise ValueError(f"must be from 0 to {_U32_MAX}")
    return number


def _count(value: Any) -> int:
    return _u32(units.integer(value))


def _bytes(value: Any) -> int:
    return _u32(units.size(value))


def _packets(value: Any) -> int:
    return _u32(units.packets(value))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("write True or False")
    return value


def _chance(value: Any) -> float:
    return units.probability(value)


def _overhead(value: Any) -> int:
    return units.integer(value)


def _numbers(value: Any) -> tuple[int, ...]:
    """A text of numbers with spaces, or one number."""
    words = value.split() if isinstance(value, str) else [value]
    if not all((isinstance(word, str) and word.isdecimal()) or type(word) is int for word in words):
        raise ValueError('write "1 2 2 2"')
    return tuple(_u32(int(word)) for word in words)


def _choice(*allowed: str) -> Reader:
    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return str(value)

    return read


def _ack_filter(value: Any) -> bool | str:
    return value if value == "aggressive" else _flag(value)


def _atm(value: Any) -> bool | str:
    return value if value == "ptm" else _flag(value)


_CODEL: dict[str, Any] = {
    "limit": _packets,
    "target": _us,
    "interval": _us,
    "ecn": _flag,
    "ce_threshold": _us,
}
_PIE: dict[str, Any] = {
    "limit": _packets,
    "target": _us,
    "tupdate": _us,
    "alpha": _count,
    "beta": _count,
    "ecn": _flag,
    "bytemode": _flag,
    "dq_rate_estimator": _flag,
}
_RED: dict[str, Any] = {
    "min": _bytes,
    "max": _bytes,
    "avpkt": _bytes,
    "burst": _packets,
    "probability": _chance,
    "ecn": _flag,
    "harddrop": _flag,
}
_DIFFSERV = ("besteffort", "precedence", "diffserv8", "diffserv4", "diffserv3")
_FLOWS = (
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
)

OPTIONS: dict[str, dict[str, Any]] = {
    "pfifo": {"limit": _packets},
    "bfifo": {"limit": _bytes},
    "pfifo_fast": {},
    "prio": {"bands": _count, "priomap": _numbers},
    "sfq": _RED
    | {
        "limit": _packets,
        "perturb": _whole_s,
        "quantum": _bytes,
        "divisor": _count,
        "flows": _count,
        "depth": _packets,
        "headdrop": _flag,
        "redflowlimit": _bytes,
    },
    "red": _RED
    | {
        "limit": _bytes,
        "bandwidth": units.bit_rate,
        "adaptive": _flag,
        "adaptative": ("adaptive", _flag),
        "nodrop": _flag,
    },
    "codel": _CODEL,
    "fq_codel": _CODEL | {"flows": _count, "quantum": _bytes, "memory_limit": _bytes, "drop_batch": _packets},
    "fq": {
        "limit": _packets,
        "flow_limit": _packets,
        "quantum": _bytes,
        "initial_quantum": _bytes,
        "maxrate": units.bit_rate,
        "low_rate_threshold": units.bit_rate,
        "buckets": _count,
        "orphan_mask": _count,
        "pacing": _flag,
        "refill_delay": _us,
        "ce_threshold": _us,
        "timer_slack": _ns,
        "horizon": _us,
        "horizon_drop": _flag,
    },
    "cake": {
        "limit": ("memlimit", _bytes),
        "memlimit": _bytes,
        "bandwidth": units.bit_rate,
        "autorate_ingress": ("autorate", _flag),
        "rtt": _us,
        "target": _us,
        "diffserv": ("diffserv_mode", _choice(*_DIFFSERV)),
        "isolation": ("flow_mode", _choice(*_FLOWS)),
        "nat": _flag,
        "wash": _flag,
        "split_gso": _flag,
        "ack_filter": ("ack_filter", _ack_filter),
        "atm": ("atm_mode", _atm),
        "overhead": _overhead,
        "mpu": _count,
        "ingress": _flag,
        "raw": _flag,
        "fwmark": _count,
    },
    "pie": _PIE,
    "fq_pie": _PIE | {"flows": _count, "quantum": _bytes, "memory_limit": _bytes, "ecn_prob": _count},
    "choke": {
        "limit": _packets,
        "bandwidth": units.bit_rate,
        "min": _packets,
        "max": _packets,
        "burst": _packets,
        "avpkt": _bytes,
        "probability": _chance,
        "ecn": _flag,
    },
    "sfb": {
        "rehash": _ms,
        "db": _ms,
        "limit": _packets,
        "max": _packets,
        "target": _packets,
        "increment": _chance,
        "decrement": _chance,
        "penalty_rate": _count,
        "penalty_burst": _count,
    },
    "hhf": {
        "limit": _packets,
        "quantum": _bytes,
        "hh_limit": _count,
        "reset_timeout": _us,
        "admit_bytes": _bytes,
        "evict_timeout": _us,
        "non_hh_weight": _count,
    },
    "ets": {"bands": _count, "strict": _count, "quanta": _numbers, "priomap": _numbers},
    "drr": {},
}

LIMITS: dict[str, tuple[str, str]] = {
    kind: ("bytes", "limit") if kind in ("bfifo", "red") else ("packets", "limit")
    for kind in OPTIONS
    if "limit" in OPTIONS[kind]
} | {"cake": ("bytes", "memlimit")}
"""Each kind's unit of its limit, and the keyword that holds it."""

REQUIRED = ("bfifo", "red", "choke")

ALIASES: dict[str, tuple[str, Any]] = (
    {f"no{name}": (name, False) for name in ("ecn", "pacing", "nat", "wash", "bytemode", "atm")}
    | {"no-split-gso": ("split_gso", False), "no-ack-filter": ("ack_filter", False)}
    | {"ack-filter-aggressive": ("ack_filter", "aggressive"), "ptm": ("atm", "ptm")}
    | {name: ("diffserv", name) for name in _DIFFSERV}
    | {name: ("isolation", name) for name in _FLOWS if name != "flows"}
)
"""Words of `tc` that stand for an option with a value: `noecn=True` is `ecn=False`."""
