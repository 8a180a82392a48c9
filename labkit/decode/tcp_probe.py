"""The event tcp:tcp_probe: the sender's state at each segment that arrives, per flow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.raw import Ints
from labkit.decode.trace import Occurrences, Trace, address_text

EVENT = "tcp/tcp_probe"

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "snd_nxt": "sequence number to be sent next, modulo 2^32",
    "snd_una": "first sequence number not acknowledged, modulo 2^32",
    "snd_cwnd": "segments",
    "ssthresh": "segments; 2147483647: not set yet",
    "snd_wnd": "bytes, the peer's window",
    "srtt_us": "µs, smoothed RTT",
    "rcv_wnd": "bytes, the own window",
    "data_len": "bytes of payload in the segment that arrived",
}
_KERNEL_NAMES = {"srtt_us": "srtt"}
_SIDES = ["sender", "receiver", "unknown"]


def tcp_probe(trace: Trace, ports: Mapping[tuple[int, int], str]) -> pd.DataFrame:
    """One row per segment that arrived at an established socket.

    ports: (source port, destination port) of each flow, as its sender sees them. Raises KeyError
    if the event was not traced, RawFormatError.
    """
    rows = trace.occurrences(EVENT)
    flow, side = by_flow(rows, ports)
    columns: dict[str, Any] = {"time_s": rows.at_ns / 1e9, "flow": flow, "side": side}
    for name in UNITS:
        field = _KERNEL_NAMES.get(name, name)
        if field in rows:
            columns[name] = rows[field]
    return pd.DataFrame(columns, copy=False)


def by_flow(
    rows: Occurrences, ports: Mapping[tuple[int, int], str]
) -> tuple[pd.Categorical[Any], pd.Categorical[Any]]:
    """Whose each row is, and which side: the ports and their reverse name a flow, anything else itself."""
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
