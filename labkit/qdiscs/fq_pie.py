"""fq_pie: PIE with a queue per flow. `ecn_prob` in percent: where marking turns into dropping."""

from __future__ import annotations

from labkit.qdiscs import pie
from labkit.qdiscs.qdisc import Qdisc, named, no, table
from labkit.qdiscs.readers import count, size

_NAMES = "limit flows target tupdate alpha beta quantum memory_limit ecn_prob ecn bytemode dq_rate_estimator"

QDISC = Qdisc(
    "fq_pie",
    table(named("TCA_FQ_PIE", _NAMES)),
    limit="packets",
    options=pie.OPTIONS | {"flows": count, "quantum": size, "memory_limit": size, "ecn_prob": count},
    aliases=no("ecn", "bytemode"),
    marks=16,
    early=True,
)
