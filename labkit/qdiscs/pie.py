"""pie: proportional integral controller enhanced (RFC 8033). `alpha` and `beta` from 0 to 32 (sixteenths)."""

from __future__ import annotations

from labkit.qdiscs.codel import DELAY
from labkit.qdiscs.qdisc import Column, Qdisc, named, no, table
from labkit.qdiscs.readers import count, flag, packets, us

OPTIONS = {
    "limit": packets,
    "target": us,
    "tupdate": us,
    "alpha": count,
    "beta": count,
    "ecn": flag,
    "bytemode": flag,
    "dq_rate_estimator": flag,
}

QDISC = Qdisc(
    "pie",
    table(named("TCA_PIE", "target limit tupdate alpha beta ecn bytemode dq_rate_estimator")),
    limit="packets",
    options=OPTIONS,
    aliases=no("ecn", "bytemode"),
    marks=36,
    columns={
        "probability": Column(0, "pie: of dropping (or marking) a packet that comes now", "<u8", 2.0**-64),
        "delay_s": Column(8, DELAY, unit=1e-6),
    },
    early=True,
)
