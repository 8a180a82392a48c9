"""What an active queue management says of itself: the state that the kernel dumps with its qdisc, over time.

Only kinds whose state is a plain struct (uapi linux/pkt_sched.h); cake's is nested attributes and not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode import queues
from labkit.decode.dumps import messages, nested
from labkit.decode.raw import PHASE_SAMPLE, Ints, Raw, take

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "kind": "of the qdisc: red, codel, pie or fq_codel",
    "probability": "pie: of dropping (or marking) a packet that comes now",
    "delay_s": "s in the queue of the packet that left last (pie, codel)",
    "count": "codel: drops (or marks) since it began to drop, and what it took over from the time before",
    "dropping": "codel: it is dropping",
    "next_drop_s": "codel: s until the next drop, at most 0.001 ms off; negative: it was due that long ago",
    "early_drops": "red: packets dropped by chance so far",
    "forced_drops": "red: packets dropped so far for want of room",
    "new_flows": "fq_codel: flows served before all others now",
    "old_flows": "fq_codel: flows that take turns now",
}

_U4, _S4, _U8 = np.dtype("<u4"), np.dtype("<i4"), np.dtype("<u8")
# kind -> column: (offset and type in the kind's xstats, how much one unit of it is)
_STATE: dict[str, dict[str, tuple[int, np.dtype[Any], float]]] = {
    "pie": {"probability": (0, _U8, 2.0**-64), "delay_s": (8, _U4, 1e-6)},
    "codel": {
        "count": (4, _U4, 1.0),
        "delay_s": (12, _U4, 1e-6),
        "next_drop_s": (16, _S4, 1e-6),
        "dropping": (28, _U4, 1.0),
    },
    "red": {"early_drops": (0, _U4, 1.0), "forced_drops": (4, _U4, 1.0)},
    "fq_codel": {"new_flows": (20, _U4, 1.0), "old_flows": (24, _U4, 1.0)},
}


def aqm(raw: Raw, names: Mapping[tuple[int, int], tuple[str, str]]) -> pd.DataFrame:
    """One row per queue of such a kind and sample; NaN: not of this kind.

    names: (namespace, interface index) -> (host, peer); other devices are left out. Raises RawFormatError.
    """
    found = messages(raw, queues.NEWQDISC, PHASE_SAMPLE)
    start, end = found.offset + queues.BODY, found.offset + found.size
    parts = nested(raw.data, start, end, (queues.KIND, queues.STATS2))
    at, size = parts[queues.STATS2]
    at, size = nested(raw.data, at, at + size, (queues.APP,))[queues.APP]
    kind = np.asarray(queues.kinds(raw.data, *parts[queues.KIND]), dtype=str)
    index = take(raw.data, found.offset + 16, queues.TCMSG)["index"]
    places = list(zip(found.ns.tolist(), index.tolist(), strict=True))
    mine = np.array([place in names for place in places], dtype=bool) & np.isin(kind, list(_STATE))
    named = [names[place] for place, wanted in zip(places, mine, strict=True) if wanted]
    columns: dict[str, Any] = {"time_s": found.at_ns[mine] / 1e9}
    columns["host"] = pd.Categorical([host for host, _ in named])
    columns["peer"] = pd.Categorical([peer for _, peer in named])
    columns["kind"] = pd.Categorical(kind[mine])
    columns |= _fields(raw, kind[mine], at[mine], size[mine])
    return pd.DataFrame(columns)[list(UNITS)].sort_values(["host", "peer", "time_s"], ignore_index=True)


def _fields(raw: Raw, kind: npt.NDArray[Any], at: Ints, size: Ints) -> dict[str, npt.NDArray[np.float64]]:
    columns = {name: np.full(len(at), np.nan) for state in _STATE.values() for name in state}
    for text, state in _STATE.items():
        for name, (offset, dtype, unit) in state.items():
            rows = np.flatnonzero((kind == text) & (size >= offset + dtype.itemsize))
            columns[name][rows] = take(raw.data, at[rows] + offset, dtype).astype(np.float64) * unit
    return columns
