"""Queueing disciplines, one file each: everything that is known of a kind. A new one is a file here and a
line below; if the lab kernel has it not built in, its module's name in execute/guest/kernel/config.py."""

from __future__ import annotations

from labkit import netlink
from labkit.qdiscs import (
    cake,
    choke,
    codel,
    drr,
    ets,
    fifo,
    fq,
    fq_codel,
    fq_pie,
    hhf,
    htb,
    pie,
    prio,
    red,
    sfb,
    sfq,
)
from labkit.qdiscs.qdisc import Qdisc

KINDS: dict[str, Qdisc] = {
    qdisc.kind: qdisc
    for qdisc in (
        fifo.PFIFO,
        fifo.BFIFO,
        fifo.PFIFO_FAST,
        prio.QDISC,
        sfq.QDISC,
        pie.QDISC,
        codel.QDISC,
        red.QDISC,
        fq.QDISC,
        fq_codel.QDISC,
        cake.QDISC,
        fq_pie.QDISC,
        choke.QDISC,
        sfb.QDISC,
        hhf.QDISC,
        htb.QDISC,
        drr.QDISC,
        ets.QDISC,
    )
}
"""Every kind that works as a queue; the columns of `aqm` are in this order."""

CLASSFUL = tuple(kind for kind, qdisc in KINDS.items() if qdisc.classful is not None)
"""Kinds that take classes."""

_CLASSES = f"is not offered: of those with classes, {', '.join(CLASSFUL)} are"
REFUSED = {
    "hfsc": _CLASSES,
    "qfq": _CLASSES,
    "gred": "needs its virtual queues set up one by one",
    "multiq": "needs a device with several queues",
    "plug": "passes nothing until it is told to",
    "tbf": "is what rate= makes; name the queue behind it",
    "netem": "is the wire: use delay=, loss=, reorder= and the other fields of a Direction",
}
"""Kinds that the kernel has and labkit does not take as a queue, and why."""

netlink.register({kind: qdisc.plugin for kind, qdisc in KINDS.items() if qdisc.plugin is not None})
