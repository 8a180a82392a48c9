"""The tins of cake: what its xstats, which are nested attributes, say of each class of service."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from labkit.decode import queues
from labkit.decode.dumps import messages, nested
from labkit.decode.raw import Raw, take
from labkit.qdiscs import cake

_MOST = max(cake.TINS)


def tins(raw: Raw) -> pd.DataFrame:
    """One row per tin and dump: phase, time_s, ns, index, parent, number (from 0), of (how many there are)
    and the counters of qdiscs.cake.TIN_COUNTERS. Raises RawFormatError."""
    found = messages(raw, queues.NEWQDISC)
    start, end = found.offset + queues.BODY, found.offset + found.size
    parts = nested(raw.data, start, end, (queues.KIND, queues.STATS2))
    mine = np.asarray(queues.kinds(raw.data, *parts[queues.KIND]), dtype=str) == "cake"
    at, size = (values[mine] for values in parts[queues.STATS2])
    for inner in (queues.APP, cake.TIN_STATS):
        at, size = nested(raw.data, at, at + size, (inner,))[inner]
    heads = take(raw.data, found.offset[mine] + 16, queues.TCMSG)
    head = {
        "phase": found.phase[mine],
        "time_s": found.at_ns[mine] / 1e9,
        "ns": found.ns[mine],
        "index": heads["index"].astype(np.int64),
        "parent": heads["parent"].astype(np.int64),
    }
    each = nested(raw.data, at, at + size, range(1, _MOST + 1))
    count = sum(((length > 0).astype(np.int64) for _, length in each.values()), np.zeros(len(at), np.int64))
    tables = []
    for number, (place, length) in each.items():
        there = length > 0
        columns: dict[str, Any] = {name: values[there] for name, values in head.items()}
        columns |= {"number": number - 1, "of": count[there]}
        attributes = {attribute for attribute, _ in cake.TIN_COUNTERS.values()}
        inside = nested(raw.data, place[there], (place + length)[there], sorted(attributes))
        for name, (attribute, kind) in cake.TIN_COUNTERS.items():
            columns[name] = take(raw.data, inside[attribute][0], np.dtype(kind)).astype(np.int64)
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)
