"""The way of every captured frame through the network: which frame each one was on the hop before.

A packet is a tree of frames: captured as it leaves its sender, as it comes in at the next host, as it leaves
that one, and so on. It has branches only where a wire has made a copy. Every frame of the captures is in one
packet once. What is known of lost packets comes from the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode import connections
from labkit.decode.frames import Frames, dissected
from labkit.decode.raw import Ints
from labkit.decode.trace import address_text
from labkit.results.ledger import Accounts, ledger
from labkit.results.ledger.entries import transmissions
from labkit.results.ledger.sightings import belonging
from labkit.results.result import Result
from labkit.spec import Capture

SNAP = 128
PROBES = frozenset({"drops", "recovery", "queue"})
NS_PER_US = 1000


@dataclass(frozen=True)
class Journeys:
    """Captured frames in the order of time, and what they are of.

    before: for each frame the one that it was on the hop before; -1: its packet begins with it. packet: for
    each frame the number of its packet. first: for each packet its first frame; packets are in the order of
    their first frames. table: one row a packet, the columns of a packet table and `transmission`. entry: for
    each packet its row in `losses`, which is the ledger with `function`; -1: it was not lost.
    """

    result: Result
    accounts: Accounts
    frames: Frames
    before: Ints
    packet: Ints
    first: Ints
    table: pd.DataFrame
    entry: Ints
    losses: pd.DataFrame

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def left_ns(self) -> Ints:
        """When each packet's first frame was captured."""
        found: Ints = self.frames.at_ns[self.first]
        return found

    @cached_property
    def ended_ns(self) -> Ints:
        """When the last was seen of each packet, its loss included."""
        last = np.full(len(self), -1, np.int64)
        np.maximum.at(last, self.packet, self.frames.at_ns)
        lost = self.entry >= 0
        at = (self.losses["lost_s"].to_numpy() * 1e9).round().astype(np.int64)
        last[lost] = np.maximum(last[lost], at[self.entry[lost]])
        return last


def watched(result: Result) -> Result:
    """The run with all that is drawn: captures at every host, drops, queues, recovery and, if TCP is there,
    its windows. Raises ProbeMissingError, which says what to write, if it cannot be had again."""
    probes = set(PROBES)
    if any(flow["protocol"] == "tcp" for flow in result.layout("flows")):
        probes.add("tcp_probe")
    if not result.manifest["virtual_time"]:
        probes.discard("queue")
    return result.also(probes, [Capture(host, snap=SNAP) for host in result.experiment.topology.names])


def journeys(result: Result) -> Journeys:
    """All packets of a run. Raises LedgerError, ProbeMissingError, ReplayError."""
    accounts = Accounts(watched(result))
    held = accounts.result
    assert isinstance(held, Result)
    known = {i["index"]: i for i in held.layout("interfaces") if i["role"] == "host"}
    every = held.frames
    frames = every.at((every.at_ns <= held.until_ns) & np.isin(every.interface, list(known)))
    before = _before(frames, accounts, known)
    first = np.flatnonzero(before < 0)
    packet = _packets(before)
    names = {index: f"{i['host']}.{i['name']}" for index, i in known.items()}
    table = connections.packet_table(frames.at(first), names, held.layout("flows"), checked=False)
    table["transmission"] = transmissions(table)
    entry, losses = _entries(accounts, frames.offset[first])
    return Journeys(held, accounts, frames, before, packet, first, table, entry, losses)


def _before(frames: Frames, accounts: Accounts, known: dict[int, dict[str, Any]]) -> Ints:
    """For each frame the number of the one that it was before, -1: of none."""
    before = np.full(len(frames), -1, np.int64)
    flips = accounts.flips()

    def join(sent: Ints, seen: Ints) -> None:
        if len(sent) and len(seen):
            match, _ = belonging(frames.at(sent), frames.at(seen), accounts.drops, flips)
            before[seen[match >= 0]] = sent[match[match >= 0]]

    for way in accounts.causes.network.built.ways.values():
        leaving = frames.outgoing & (frames.interface == way.out.index)
        join(np.flatnonzero(leaving), np.flatnonzero(~frames.outgoing & (frames.interface == way.into.index)))
    src, dst = _ends(frames)
    owner = accounts.causes.network.owner
    hosts = sorted({i["host"] for i in known.values()})
    for host in hosts:
        mine = np.isin(frames.interface, [index for index, i in known.items() if i["host"] == host])
        own = [address for address, name in owner.items() if name == host]
        came = mine & ~frames.outgoing & ~np.isin(dst, own)
        join(np.flatnonzero(came), np.flatnonzero(mine & frames.outgoing & ~np.isin(src, own)))
    return before


def _ends(frames: Frames) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.object_]]:
    """The addresses of each frame as text; "" without any."""
    src, dst = np.full(len(frames), -1, np.int64), np.full(len(frames), -1, np.int64)
    for part, headers in dissected(frames):
        src[part], dst[part] = headers.src, headers.dst
    found = []
    for column in (src, dst):
        codes, values = pd.factorize(column)
        texts = [address_text(int(v).to_bytes(4, "big")) if v >= 0 else "" for v in values]
        found.append(np.array([*texts, ""], object)[codes])
    return found[0], found[1]


def _packets(before: Ints) -> Ints:
    """The number of each frame's packet. A frame comes after the one that it was."""
    root = np.where(before < 0, np.arange(len(before)), before)
    while True:
        further = root[root]
        if np.array_equal(further, root):
            break
        root = further
    number = np.cumsum(before < 0) - 1
    found: Ints = number[root]
    return found


def _entries(accounts: Accounts, offset: Ints) -> tuple[Ints, pd.DataFrame]:
    """Which row of the ledger each packet is, known by where its first frame lies in the raw file."""
    table = ledger(accounts.result)
    lost = np.flatnonzero((accounts.packets["fate"] == "lost").to_numpy())
    drop = accounts.packets["drop"].to_numpy()[lost]
    table["function"] = np.asarray(accounts.drops.function, object)[drop]
    table["place"] = accounts.places["place"].to_numpy(object)[drop]
    row = {int(at): n for n, at in enumerate(accounts.seen.frames.offset[lost].tolist())}
    return np.array([row.get(at, -1) for at in offset.tolist()], np.int64), table
