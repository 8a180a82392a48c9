"""Lost packets as the kernel's drop monitor tells of them: when, where in the kernel, why, and which.

Source: net/core/drop_monitor.c (net_dm_packet_report_fill), uapi linux/net_dropmon.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.dumps import nested
from labkit.decode.frames import Frames
from labkit.decode.raw import Bytes, Ints, Raw, damage, take
from labkit.program.structs import Kind

_BODY = 20  # struct nlmsghdr and struct genlmsghdr
_SYMBOL, _IN_PORT, _TIMESTAMP, _PAYLOAD, _ORIG_LEN, _REASON = 3, 4, 5, 7, 10, 23
_IFINDEX = 0
_U4, _U8 = np.dtype("<u4"), np.dtype("<u8")


@dataclass(frozen=True)
class Drops:
    """Drops in the order of time. frames.interface: where the packet was last received, 0: nowhere yet.

    function: the kernel's that freed it; reason: the kernel's (enum skb_drop_reason) by its name.
    """

    frames: Frames
    function: pd.Categorical[Any]
    reason: pd.Categorical[Any]

    def at(self, which: Ints) -> Drops:
        """Some of them."""
        return Drops(self.frames.at(which), self.function[which], self.reason[which])


def drops(raw: Raw) -> Drops:
    """All packets freed as lost, those after the end of the run as well. Raises RawFormatError."""
    records = raw.records(Kind.DROP)
    start, end = records.offset + _BODY, records.offset + records.size
    wanted = (_SYMBOL, _IN_PORT, _TIMESTAMP, _PAYLOAD, _ORIG_LEN, _REASON)
    found = nested(raw.data, start, end, wanted)
    stamp, size = found[_TIMESTAMP]
    with damage("a lost packet without a time", int(records.offset[0]) if len(records) else 0):
        if (size != _U8.itemsize).any():
            raise ValueError("the drop monitor of another kernel?")
    epochs = raw.heads(raw.records(Kind.EPOCH))
    real_ns = int(epochs["real_ns"][0]) if len(epochs) else 0
    at_ns = take(raw.data, stamp, _U8).astype(np.int64) - real_ns
    port, room = found[_IN_PORT]
    index, there = nested(raw.data, port, port + room, (_IFINDEX,))[_IFINDEX]
    interface = np.where(there > 0, take(raw.data, np.where(there > 0, index, 0), _U4), 0).astype(np.int64)
    payload, captured = found[_PAYLOAD]
    length = take(raw.data, found[_ORIG_LEN][0], _U4).astype(np.int64)
    outgoing = np.zeros(len(at_ns), bool)
    frames = Frames(raw.data, at_ns, interface, outgoing, payload, np.minimum(captured, length), length)
    order = np.argsort(at_ns, kind="stable")
    function, reason = _texts(raw.data, *found[_SYMBOL]), _texts(raw.data, *found[_REASON])
    return Drops(frames, function, reason).at(order)


def with_frames(drops: Drops, more: Frames, function: str, reason: str) -> tuple[Drops, Ints]:
    """The same with frames of the same raw file that were lost too, all at one place for one reason; and, for
    each of the result, which of `drops` and `more` in a row it is."""
    if not len(more):
        return drops, np.arange(len(drops.frames))
    columns = ("at_ns", "interface", "outgoing", "offset", "captured", "length")
    frames = Frames(
        more.data, *(np.concatenate([getattr(drops.frames, name), getattr(more, name)]) for name in columns)
    )
    order = np.argsort(frames.at_ns, kind="stable")
    texts = []
    for column, text in ((drops.function, function), (drops.reason, reason)):
        known = column if text in column.categories else column.add_categories([text])
        code = known.categories.get_loc(text)
        codes = np.concatenate([known.codes.astype(np.int64), np.full(len(more), code, np.int64)])
        texts.append(categorical(codes[order], list(known.categories)))
    return Drops(frames.at(order), *texts), order


def _texts(data: Bytes, at: Ints, size: Ints) -> pd.Categorical[Any]:
    """The text of each attribute up to its "+0x1f/0x20", if it is a place in the kernel."""
    texts = np.zeros(len(at), "S64")
    for width in np.unique(size[size > 0]):
        mine = size == width
        texts[mine] = take(data, at[mine], np.dtype(f"S{width}"))
    return each(texts, lambda text: bytes(text).rstrip(b"\0").split(b"+")[0].decode(errors="replace"))
