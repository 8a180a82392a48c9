"""The kernel's counters before and after a run: /proc/net/{snmp,netstat,softnet_stat} and link statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.dumps import damaged, messages, nested
from labkit.decode.raw import Raw, damage, take
from labkit.program.structs import PHASE_AFTER, PHASE_BEFORE

UNITS: dict[str, str] = {
    "host": "whose network",
    "name": "the counter, as nstat and ip -s link call it",
    "before": "value at the start of the run",
    "after": "value at its end",
    "delta": "after - before; of no meaning for gauges like TcpCurrEstab",
}
INTERFACE_UNITS = UNITS | {
    "interface": "name of the device",
    "peer": "host at the other end of its link",
    "role": "host: a host's own device; wire: one inside the link at that host's end; tunnel: of a Tunnel",
    "name": "the counter; *_bytes in bytes, the others in packets",
}
SOFTNET_UNITS = {"cpu": "number"} | {k: v for k, v in UNITS.items() if k != "host"}

_SOFTNET = {0: "processed", 1: "dropped", 2: "time_squeeze", 9: "received_rps", 10: "flow_limit_count"}
_NEWLINK = 16
_INDEX, _LINK = 20, 32  # where a message has ifi_index; where its attributes begin, after struct ifinfomsg
_STATS64 = 23
LINK_STATS = [  # struct rtnl_link_stats64 of Linux 6.12
    *("rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_errors", "tx_errors"),
    *("rx_dropped", "tx_dropped", "multicast", "collisions", "rx_length_errors", "rx_over_errors"),
    *("rx_crc_errors", "rx_frame_errors", "rx_fifo_errors", "rx_missed_errors", "tx_aborted_errors"),
    *("tx_carrier_errors", "tx_fifo_errors", "tx_heartbeat_errors", "tx_window_errors"),
    *("rx_compressed", "tx_compressed", "rx_nohandler", "rx_otherhost_dropped"),
]

Key = tuple[Any, ...]
Values = dict[Key, int]


def nstat(raw: Raw, hosts: Mapping[int, str]) -> pd.DataFrame:
    """host, name, before, after, delta; names as nstat's ("TcpRetransSegs", "TcpExtTCPTimeouts").

    hosts: namespace index -> name. Namespaces that are no host's are left out.
    """
    phases: dict[int, Values] = {PHASE_BEFORE: {}, PHASE_AFTER: {}}
    for file in raw.files():
        if file.path in ("/proc/net/snmp", "/proc/net/netstat") and file.ns in hosts and file.phase in phases:
            with damage(f"{file.path} is no table of counters", file.offset):
                found = {(hosts[file.ns], name): value for name, value in _pairs(file.text)}
            _keep(phases, file.phase, found)
    return _table(("host", "name"), phases)


def softnet(raw: Raw) -> pd.DataFrame:
    """cpu, name, before, after, delta: the kernel's input queues, of which there is one per CPU."""
    phases: dict[int, Values] = {PHASE_BEFORE: {}, PHASE_AFTER: {}}
    for file in raw.files():
        if file.path != "/proc/net/softnet_stat" or file.phase not in phases:
            continue
        found: Values = {}
        with damage(f"{file.path} is no table of numbers", file.offset):
            for cpu, line in enumerate(file.text.splitlines()):
                values = line.split()
                found |= {(cpu, n): int(values[i], 16) for i, n in _SOFTNET.items() if i < len(values)}
        _keep(phases, file.phase, found)
    return _table(("cpu", "name"), phases)


def interfaces(raw: Raw, names: Mapping[tuple[int, int], tuple[str, str, str, str]]) -> pd.DataFrame:
    """host, interface, peer, role, name, before, after, delta of each device's statistics.

    names: (namespace, interface index) -> (host, interface, peer, role); others are left out.
    """
    phases: dict[int, Values] = {PHASE_BEFORE: {}, PHASE_AFTER: {}}
    found = messages(raw, _NEWLINK)
    damaged(found.size < _LINK, found.offset, "a netlink message of a device that is cut off")
    index = take(raw.data, found.offset + _INDEX, np.dtype("<i4"))
    at, size = nested(raw.data, found.offset + _LINK, found.offset + found.size, (_STATS64,))[_STATS64]
    for i, phase in enumerate(found.phase.tolist()):
        name = names.get((int(found.ns[i]), int(index[i])))
        if phase not in phases or name is None:
            continue
        words = raw.data[at[i] : at[i] + size[i] // 8 * 8].view("<u8").tolist()
        pairs = zip(LINK_STATS, words, strict=False)
        _keep(phases, phase, {(*name, counter): value for counter, value in pairs})
    return _table(("host", "interface", "peer", "role", "name"), phases)


def _pairs(text: str) -> Iterable[tuple[str, int]]:
    """ "Tcp: a b" over "Tcp: 1 2" -> ("Tcpa", 1), ("Tcpb", 2)."""
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        prefix, _, columns = names.partition(":")
        for name, value in zip(columns.split(), values.partition(":")[2].split(), strict=False):
            yield prefix + name, int(value)


def _keep(phases: dict[int, Values], phase: int, found: Values) -> None:
    """The first value before and the last one after: an open laboratory runs several programs."""
    known = phases[phase]
    phases[phase] = found | known if phase == PHASE_BEFORE else known | found


def _table(names: tuple[str, ...], phases: dict[int, Values]) -> pd.DataFrame:
    """A counter that appears during the run was 0; one that was not read after a cut run is <NA>."""
    before, after = phases[PHASE_BEFORE], phases[PHASE_AFTER]
    keys = list(dict.fromkeys([*after, *before]))
    table = pd.DataFrame(keys, columns=list(names)) if keys else pd.DataFrame(columns=list(names))
    kind: Any = "int64" if after or not before else "Int64"
    lacking: Any = 0 if after else pd.NA
    table["before"] = pd.Series([before.get(key, 0) for key in keys], table.index, dtype="int64")
    table["after"] = pd.Series([after.get(key, lacking) for key in keys], table.index, dtype=kind)
    table["delta"] = table["after"] - table["before"]
    return table
