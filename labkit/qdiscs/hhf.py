"""hhf: heavy-hitter filter. `hh_limit` in flows, `admit_bytes` in bytes."""

from __future__ import annotations

from labkit.qdiscs.qdisc import Qdisc, table
from labkit.qdiscs.readers import count, packets, size, us

_NAMES = {
    "limit": "TCA_HHF_BACKLOG_LIMIT",
    "quantum": "TCA_HHF_QUANTUM",
    "hh_limit": "TCA_HHF_HH_FLOWS_LIMIT",
    "reset_timeout": "TCA_HHF_RESET_TIMEOUT",
    "admit_bytes": "TCA_HHF_ADMIT_BYTES",
    "evict_timeout": "TCA_HHF_EVICT_TIMEOUT",
    "non_hh_weight": "TCA_HHF_NON_HH_WEIGHT",
}

QDISC = Qdisc(
    "hhf",
    table(_NAMES),
    limit="packets",
    options={
        "limit": packets,
        "quantum": size,
        "hh_limit": count,
        "reset_timeout": us,
        "admit_bytes": size,
        "evict_timeout": us,
        "non_hh_weight": count,
    },
)
