"""The kernel's counters before and after a run: /proc/net/{snmp,netstat,softnet_stat} and link statistics."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from labkit.decode.dumps import damaged, messages, nested
from labkit.decode.raw import Ints, Raw, damage, take
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
    "role": "host: a host's own device; wire: one inside the link at that host's end; tunnel: of a Tunnel; "
    "bridge: a switch's own",
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


class _Read(NamedTuple):
    """What was read at once: the counters of a host or a device, and their values."""

    of: tuple[Any, ...]
    counters: tuple[str, ...]
    values: Ints


def nstat(raw: Raw, hosts: Mapping[int, str]) -> pd.DataFrame:
    """host, name, before, after, delta; names as nstat's ("TcpRetransSegs", "TcpExtTCPTimeouts").

    hosts: namespace index -> name. Namespaces that are no host's are left out.
    """
    phases: dict[int, list[_Read]] = {PHASE_BEFORE: [], PHASE_AFTER: []}
    for file in raw.files():
        if file.path in ("/proc/net/snmp", "/proc/net/netstat") and file.ns in hosts and file.phase in phases:
            with damage(f"{file.path} is no table of counters", file.offset):
                phases[file.phase].append(_Read((hosts[file.ns],), *_pairs(file.text)))
    return _table(("host", "name"), phases)


def softnet(raw: Raw) -> pd.DataFrame:
    """cpu, name, before, after, delta: the kernel's input queues, of which there is one per CPU."""
    phases: dict[int, list[_Read]] = {PHASE_BEFORE: [], PHASE_AFTER: []}
    for file in raw.files():
        if file.path != "/proc/net/softnet_stat" or file.phase not in phases:
            continue
        read = []
        with damage(f"{file.path} is no table of numbers", file.offset):
            for cpu, line in enumerate(file.text.splitlines()):
                words = line.split()
                found = {n: int(words[i], 16) for i, n in _SOFTNET.items() if i < len(words)}
                read.append(_Read((cpu,), tuple(found), _ints(found.values())))
        # in one piece, since the processors' order is the file's
        phases[file.phase] += read if file.phase == PHASE_AFTER else read[::-1]
    return _table(("cpu", "name"), phases)


def interfaces(raw: Raw, names: Mapping[tuple[int, int], tuple[str, str, str, str]]) -> pd.DataFrame:
    """host, interface, peer, role, name, before, after, delta of each device's statistics.

    names: (namespace, interface index) -> (host, interface, peer, role); others are left out.
    """
    phases: dict[int, list[_Read]] = {PHASE_BEFORE: [], PHASE_AFTER: []}
    found = messages(raw, _NEWLINK)
    damaged(found.size < _LINK, found.offset, "a netlink message of a device that is cut off")
    index = take(raw.data, found.offset + _INDEX, np.dtype("<i4"))
    at, size = nested(raw.data, found.offset + _LINK, found.offset + found.size, (_STATS64,))[_STATS64]
    for i, phase in enumerate(found.phase.tolist()):
        name = names.get((int(found.ns[i]), int(index[i])))
        if phase not in phases or name is None:
            continue
        words = raw.data[at[i] : at[i] + size[i] // 8 * 8].view("<i8")[: len(LINK_STATS)]
        phases[phase].append(_Read(name, tuple(LINK_STATS[: len(words)]), words))
    return _table(("host", "interface", "peer", "role", "name"), phases)


def _pairs(text: str) -> tuple[tuple[str, ...], Ints]:
    """ "Tcp: a b" over "Tcp: 1 2" -> "Tcpa" and "Tcpb", 1 and 2."""
    lines = text.splitlines()
    words = [line.partition(":")[2].split() for line in lines[1::2]]
    names = _counters(tuple(lines[: 2 * len(words) : 2]), tuple(map(len, words)))
    values = itertools.chain.from_iterable(words[i][:known] for i, known in enumerate(names.lengths))
    return names.all, _ints(map(int, values))


class _Names(NamedTuple):
    """Of the counters of a file: all, and how many there are in each pair of lines."""

    all: tuple[str, ...]
    lengths: tuple[int, ...]


@functools.lru_cache(64)  # they are the same of all hosts
def _counters(heads: tuple[str, ...], values: tuple[int, ...]) -> _Names:
    """values: how many stand below each head."""
    parts = [head.partition(":") for head in heads]
    names = [[prefix + name for name in columns.split()] for prefix, _, columns in parts]
    named = [some[:count] for some, count in zip(names, values, strict=True)]
    return _Names(tuple(itertools.chain.from_iterable(named)), tuple(map(len, named)))


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), np.int64)


def _table(names: tuple[str, ...], phases: Mapping[int, Sequence[_Read]]) -> pd.DataFrame:
    """A counter that appears during the run was 0; one that was not read after a cut run is <NA>. The last
    value after it counts and the first one before: an open laboratory runs several programs."""
    after, before = phases[PHASE_AFTER], phases[PHASE_BEFORE][::-1]
    reads = [*after, *before]
    numbers: defaultdict[Any, int] = defaultdict(lambda: len(numbers))
    lists = {one: _ints(numbers[name] for name in one) for one in {read.counters: 0 for read in reads}}
    owners: defaultdict[Any, int] = defaultdict(lambda: len(owners))
    keys = [owners[read.of] * len(numbers) + lists[read.counters] for read in reads]
    row, found = pd.factorize(np.concatenate([*keys, _ints(())]))
    values = np.concatenate([*(read.values for read in reads), _ints(())])
    until = sum(len(read.values) for read in after)
    counted = {phase: np.zeros(len(found), np.int64) for phase in phases}
    counted[PHASE_AFTER][row[:until]] = values[:until]
    counted[PHASE_BEFORE][row[until:]] = values[until:]
    if not len(found):
        table = pd.DataFrame(columns=list(names))
    else:
        which, counter = found // len(numbers), found % len(numbers)
        parts = [*zip(*owners, strict=True)]
        columns = {name: pd.Series(part).take(which).array for name, part in zip(names, parts, strict=False)}
        table = pd.DataFrame(columns | {names[-1]: pd.Series([*numbers]).take(counter).array})
    table["before"] = pd.Series(counted[PHASE_BEFORE], table.index)
    table["after"] = pd.Series(counted[PHASE_AFTER], table.index)
    if len(found) and not until:
        table["after"] = pd.Series(pd.NA, table.index, dtype="Int64")
    table["delta"] = table["after"] - table["before"]
    return table
