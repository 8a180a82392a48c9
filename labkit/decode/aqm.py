"""What an active queue management says of itself: the state that the kernel dumps with its qdisc, over time.

Which kinds have what, their files in qdiscs/ say. Only those whose state is a plain struct; cake's is nested
attributes and not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode import queues
from labkit.decode.dumps import messages, nested
from labkit.decode.raw import Ints, Raw, take
from labkit.program.structs import PHASE_SAMPLE
from labkit.qdiscs import KINDS

_STATE = {kind: qdisc.columns for kind, qdisc in KINDS.items() if qdisc.columns}
UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "kind": f"of the qdisc: {', '.join(_STATE)}",
} | {name: column.meaning for columns in _STATE.values() for name, column in columns.items()}


def aqm(raw: Raw, names: Mapping[tuple[int, int], tuple[str, str]]) -> pd.DataFrame:
    """One row per queue of such a kind and sample; NaN: not of this kind. A queue with classes has one for
    each class of such a kind, in the order of the classes.

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
        for name, column in state.items():
            dtype = np.dtype(column.type)
            rows = np.flatnonzero((kind == text) & (size >= column.offset + dtype.itemsize))
            numbers = take(raw.data, at[rows] + column.offset, dtype)
            columns[name][rows] = numbers.astype(np.float64) * column.unit
    return columns
