"""Whose an event of TCP is: the flow and the side, by its ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.raw import Ints
from labkit.decode.trace import Occurrences, address_text

_SIDES = ["sender", "receiver", "unknown"]


def by_flow(
    rows: Occurrences, ports: Mapping[tuple[int, int], str]
) -> tuple[pd.Categorical[Any], pd.Categorical[Any]]:
    """Whose each row is, and which side: the ports and their reverse name a flow, anything else itself.

    rows: with the fields sport, dport, saddr and daddr. ports: (source port, destination port) of each
    flow, as its sender sees them -> its name.
    """
    names = list(dict.fromkeys(ports.values()))
    keys: list[tuple[int, int, int]] = []
    for (source, destination), name in ports.items():
        keys.append((source << 16 | destination, names.index(name), 0))
        keys.append((destination << 16 | source, names.index(name), 1))
    keys.sort()
    known = np.array(keys, np.int64).reshape(-1, 3)
    key = rows["sport"].astype(np.int64) << 16 | rows["dport"]
    place = np.minimum(np.searchsorted(known[:, 0], key), max(len(known) - 1, 0))
    codes, sides = np.empty(len(key), np.int64), np.full(len(key), 2)
    match = known[place, 0] == key if len(known) else np.zeros(len(key), bool)
    codes[match], sides[match] = known[place[match], 1], known[place[match], 2]
    others = np.flatnonzero(~match)
    if others.size:
        strange, number = _connections(rows, others)
        codes[others] = len(names) + number
        names += strange
    return categorical(codes, names), categorical(sides, _SIDES)


def _connections(rows: Occurrences, which: Ints) -> tuple[list[str], Ints]:
    """ "local>remote" of each different connection, and which of them each row is."""
    local, remote = each(rows["saddr"][which], _address), each(rows["daddr"][which], _address)
    pairs = local.codes.astype(np.int64) * len(remote.categories) + remote.codes
    distinct, number = np.unique(pairs, return_inverse=True)
    ends = [divmod(int(pair), len(remote.categories)) for pair in distinct]
    return [f"{local.categories[a]}>{remote.categories[b]}" for a, b in ends], number.astype(np.int64)


def _address(value: bytes) -> str:
    return address_text(bytes(value))
