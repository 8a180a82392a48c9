"""fq: fair queueing with pacing. Rates are capped at 2^32 - 1 bytes/s, which means no limit."""

from __future__ import annotations

from labkit.qdiscs.qdisc import Qdisc, nested, no, table
from labkit.qdiscs.readers import capped_byte_rate, count, flag, ns, packets, power_of_two, size, us

_NAMES = {
    "limit": "TCA_FQ_PLIMIT",
    "flow_limit": "TCA_FQ_FLOW_PLIMIT",
    "quantum": "TCA_FQ_QUANTUM",
    "initial_quantum": "TCA_FQ_INITIAL_QUANTUM",
    "pacing": "TCA_FQ_RATE_ENABLE",
    "refill_delay": "TCA_FQ_FLOW_REFILL_DELAY",
    "orphan_mask": "TCA_FQ_ORPHAN_MASK",
    "ce_threshold": "TCA_FQ_CE_THRESHOLD",
    "timer_slack": "TCA_FQ_TIMER_SLACK",
    "horizon": "TCA_FQ_HORIZON",
    "horizon_drop": "TCA_FQ_HORIZON_DROP",
    "maxrate": "TCA_FQ_FLOW_MAX_RATE",
    "low_rate_threshold": "TCA_FQ_LOW_RATE_THRESHOLD",
    "buckets": "TCA_FQ_BUCKETS_LOG",
}
_LAYOUT = nested(
    (f"TCA_FQ_{name}", kind)
    for kind, names in (
        ("uint32", "PLIMIT FLOW_PLIMIT QUANTUM INITIAL_QUANTUM RATE_ENABLE FLOW_DEFAULT_RATE FLOW_MAX_RATE"),
        ("uint32", "BUCKETS_LOG FLOW_REFILL_DELAY ORPHAN_MASK LOW_RATE_THRESHOLD CE_THRESHOLD TIMER_SLACK"),
        ("uint32", "HORIZON"),
        ("uint8", "HORIZON_DROP"),
        ("hex", "PRIOMAP WEIGHTS"),
    )
    for name in names.split()
)

QDISC = Qdisc(
    "fq",
    table(_NAMES, _LAYOUT),
    limit="packets",
    options={
        "limit": packets,
        "flow_limit": packets,
        "quantum": size,
        "initial_quantum": size,
        "maxrate": capped_byte_rate,
        "low_rate_threshold": capped_byte_rate,
        "buckets": power_of_two,
        "orphan_mask": count,
        "pacing": flag,
        "refill_delay": us,
        "ce_threshold": us,
        "timer_slack": ns,
        "horizon": us,
        "horizon_drop": flag,
    },
    aliases=no("pacing"),
)
