"""What a table of packets needs of their headers, gathered from some thousand frames at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from labkit.decode.directions import Ends
from labkit.decode.frames import Frames
from labkit.decode.headers import CUT, NONE, SACK_BLOCKS, Headers, checksums
from labkit.decode.raw import Ints

Checksums = npt.NDArray[np.int8]
"""GOOD, BAD or UNKNOWN of each packet."""
GOOD, BAD, UNKNOWN = np.int8(0), np.int8(1), np.int8(2)


@dataclass(frozen=True)
class Kept:
    """What a table needs of each packet's headers: arrays of one length, as in Headers. number: of its
    direction."""

    number: Ints
    ip_id: Ints
    seq: Ints
    ack: Ints
    flags: Ints
    window: Ints
    scale: Ints
    sacks: Ints
    tsval: Ints
    tsecr: Ints
    payload: Ints
    left: list[Ints]
    right: list[Ints]


_KINDS: dict[str, Any] = {
    **dict.fromkeys(("number", "ip_id", "payload"), np.int32),
    **dict.fromkeys(("seq", "ack", "window", "tsval", "tsecr"), np.int64),
    "scale": np.int16,
    "sacks": np.int8,
    "flags": np.int16,
}


def gathered(
    frames: Frames,
    parts: Iterable[tuple[slice, Headers]],
    checked: Callable[[Frames, Headers], Checksums] | None,
) -> tuple[Kept, Ends, Checksums | None]:
    """Of all packets; and what `checked` finds of their checksums. parts: the headers of some frames after
    the other."""
    n, ends = len(frames), Ends()
    columns: dict[str, Any] = {name: np.empty(n, kind) for name, kind in _KINDS.items()}
    columns |= {name: [np.empty(n, np.int64) for _ in range(SACK_BLOCKS)] for name in ("left", "right")}
    kept = Kept(**columns)
    state = None if checked is None else np.empty(n, np.int8)
    for part, headers in parts:
        kept.number[part] = ends.numbers(headers)
        for name in ("ip_id", "seq", "ack", "window", "scale", "sacks", "tsval", "tsecr"):
            getattr(kept, name)[part] = getattr(headers, name)
        kept.flags[part], payload = headers.flags, headers.payload
        kept.payload[part] = np.where(payload == CUT, CUT - NONE, np.maximum(payload, 0))
        for i in range(SACK_BLOCKS):
            kept.left[i][part], kept.right[i][part] = headers.left[i], headers.right[i]
        if checked is not None and state is not None:
            state[part] = checked(frames.at(part), headers)
    return kept, ends, state


def checksum_states(frames: Frames, headers: Headers) -> Checksums:
    """Of each frame."""
    state = checksums(frames.data, headers, frames.offset, frames.captured)
    whole = (frames.captured == frames.length) & (headers.network >= 0) & (headers.fragment < 0)
    state[(state < 0) & whole] = 0  # its header says that there is more
    return np.where(state < 0, UNKNOWN, np.int8(1) - state)
