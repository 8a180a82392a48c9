"""Every packet in every queue, from the events qdisc_enqueue, qdisc_dequeue and kfree_skb.

A packet is known by the number that the agent gave to its address (skbaddr). What is in a queue ends there
in one of three ways: it is dequeued, it is freed, or the run ends. A device with byte queue limits takes
several at once (try_bulk_dequeue_skb in net/sched/sch_generic.c): the event names the first and says how
many, the others leave with it, in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode.columns import categorical
from labkit.decode.raw import Ints
from labkit.decode.trace import Occurrences


def queue(
    came: Occurrences, left: Occurrences, freed: Occurrences, names: Mapping[int, tuple[str, str]]
) -> pd.DataFrame:
    """One row per packet that a queue took. names: interface index -> (host, peer)."""
    parts = (came, left, freed)
    kind: Ints = np.repeat(np.arange(3, dtype=np.int8), [len(events.at_ns) for events in parts])
    none = np.zeros(len(freed.at_ns), np.int32)
    index = np.concatenate([came["ifindex"].astype(np.int32), left["ifindex"].astype(np.int32), none])
    known = np.flatnonzero(np.isin(index, list(names)) | (kind == 2))
    others = np.maximum(left["packets"].astype(np.int64) - 1, 0)
    behind = np.concatenate([np.zeros(len(came.at_ns), np.int64), others, none])[known]
    at_ns, place, packet = (
        np.concatenate(column)[known]
        for column in (
            [events.at_ns for events in parts],
            [events.place for events in parts],
            [events["skbaddr"].astype(np.int64) for events in parts],
        )
    )
    return _rows(kind[known], at_ns, place, packet, index[known], behind, names)


def _rows(
    kind: Ints,
    at_ns: Ints,
    place: Ints,
    packet: Ints,
    index: Ints,
    behind: Ints,
    names: Mapping[int, tuple[str, str]],
) -> pd.DataFrame:
    order = np.lexsort((place, packet))
    following = np.append(order[1:], -1)
    same = np.append(packet[order[1:]] == packet[order[:-1]], False)
    entry = kind[order] == 0
    first, then, more = order[entry], following[entry], same[entry]
    gone = more & (kind[then] == 1) & (index[then] == index[first])
    unseen = ~more | (kind[then] == 0)  # its address came again, or did not: it may have left behind another
    back = np.argsort(place[first], kind="stable")
    first, then, gone, more, unseen = (part[back] for part in (first, then, gone, more, unseen))
    for device in np.unique(index[behind > 0]):
        heads = np.flatnonzero((behind > 0) & (index == device))
        heads = heads[np.argsort(place[heads])]
        slots = np.repeat(heads, behind[heads])
        waiting = np.flatnonzero(unseen & (index[first] == device))
        found = _slots(place[first[waiting]], place[slots])
        waiting, found = waiting[found < len(slots)], found[found < len(slots)]
        then[waiting], gone[waiting] = slots[found], True
    dropped = more & ~gone
    end_ns = np.where(gone, at_ns[then], 0)
    codes, hosts, peers = _names(index[first], names)
    never = np.iinfo(np.int64).max
    there = _waiting(index[first], place[first], np.where(gone | dropped, place[then], never))
    columns: dict[str, Any] = {
        "enqueued_s": at_ns[first] / 1e9,
        "host": categorical(codes[0], hosts),
        "peer": categorical(codes[1], peers),
        "packets": there,
        "dequeued_s": np.where(gone, end_ns / 1e9, np.nan),
        "wait_s": np.where(gone, (end_ns - at_ns[first]) / 1e9, np.nan),
        "dropped": dropped,
    }
    return pd.DataFrame(columns, copy=False)


def _slots(came: Ints, slots: Ints) -> Ints:
    """Of each packet, by when it came, the first chance to leave that none before it has; both in order."""
    number = np.arange(len(came))
    return np.maximum.accumulate(np.searchsorted(slots, came, "right") - number) + number


def _names(
    index: Ints, names: Mapping[int, tuple[str, str]]
) -> tuple[tuple[Ints, Ints], list[str], list[str]]:
    hosts, peers = (sorted({name[i] for name in names.values()}) for i in (0, 1))
    table = np.zeros((2, max(names, default=0) + 1), np.int64)
    for number, (host, peer) in names.items():
        table[:, number] = hosts.index(host), peers.index(peer)
    return (table[0, index], table[1, index]), hosts, peers


def _waiting(index: Ints, came: Ints, gone: Ints) -> npt.NDArray[np.int64]:
    """How many packets are in the same queue when each one comes: came and gone are places in time."""
    counts = np.empty(len(index), np.int64)
    for device in np.unique(index):
        mine = np.flatnonzero(index == device)
        counts[mine] = np.arange(len(mine)) - np.searchsorted(np.sort(gone[mine]), came[mine])
    return counts
