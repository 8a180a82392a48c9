"""Damaged frames: which packet each one is. A flipped bit changes a packet's identity: it then may say to be
another packet's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from labkit.decode.frames import Frames
from labkit.decode.headers import ETHERNET
from labkit.decode.raw import Ints, take

_COMPARED = 112  # bytes from the IP header on
FEW, ANY = 3, 8 * _COMPARED  # bits in which a damaged frame may differ from the packet that it is
_SHORTEST, _FCS = 60, 4  # bytes: a port pads a frame to the first, and may pass on the second
_CHANGING = (8, 10, 11)  # of these: TTL and the header's checksum
_WORD, _ORDER = 8, np.dtype("<u8")
_MASKS = np.array([2 ** (8 * count) - 1 for count in range(_WORD + 1)], _ORDER)  # of a word's first bytes


def again(arrived: Frames, arrival: Ints, dropped: Frames, drop: Ints) -> None:
    """A damaged packet that arrives is thrown away there, and so seen twice: it is the same one, bit by bit.
    Fills `drop` in place."""
    strangers = np.flatnonzero(drop < 0)
    damaged = np.flatnonzero(arrival >= 0)
    places = np.isin(arrived.interface[damaged], dropped.interface[strangers])
    if not strangers.size or not places.any():
        return
    mine = dropped.at(strangers)
    near = damaged[places & np.isin(arrived.at_ns[damaged], mine.at_ns)]
    known = {_seen(arrived, i): int(arrival[i]) for i in near.tolist()}
    for n, i in enumerate(strangers.tolist()):
        drop[i] = known.get(_seen(mine, n), -1)


def _seen(frames: Frames, i: int) -> tuple[int, int, int, bytes]:
    start = int(frames.offset[i])
    kept = frames.data[start : start + min(int(frames.captured[i]), ETHERNET + _COMPARED)]
    return int(frames.interface[i]), int(frames.at_ns[i]), int(frames.length[i]), kept.tobytes()


def mend(sent: Frames, seen: Frames, match: Ints, other: Ints, most: Ints) -> None:
    """Each frame that is of no packet known yet (match < 0) is the packet, sent before and seen nowhere, from
    which it differs least, in no more than `most` bits of its own. It may be shorter: UDP cuts off what its
    header does not count. Where two are nearest to one packet, one of them gets another that it can be, so
    that as many as can be are known. Fills `match` in place."""
    strangers = np.flatnonzero(match < 0)
    if strangers.size:
        missing = np.setdiff1d(np.arange(len(sent)), np.concatenate([match, other]))
        chosen = _Matching(sent.at(missing), seen.at(strangers), most[strangers]).best()
        found = chosen >= 0
        match[strangers[found]] = missing[chosen[found]]


class _Matching:
    """Frames and the packets that they can be, of which each is one frame at most."""

    def __init__(self, sent: Frames, seen: Frames, most: Ints) -> None:
        self.words, self.sizes = _compared(sent)
        self.bodies, self.lengths = _compared(seen)
        self.room = np.maximum(sent.length, _SHORTEST) + _FCS
        self.upto = np.searchsorted(sent.at_ns, seen.at_ns, "right")
        self.length, self.most = seen.length, most
        self.owner = np.full(len(sent), -1, np.int64)  # the frame that a packet is

    def best(self) -> Ints:
        """For each frame a packet; -1: none."""
        alone = [frame for frame in range(len(self.most)) if not self._nearest(frame)]
        tried: set[int] = set()
        for frame in alone:
            self._in_turn(frame, tried)
        chosen = np.full(len(self.most), -1, np.int64)
        mine = np.flatnonzero(self.owner >= 0)
        chosen[self.owner[mine]] = mine
        return chosen

    def _nearest(self, frame: int) -> bool:
        """Take the nearest packet that is free, of several the last."""
        upto = int(self.upto[frame])
        packets, flips = self._near(frame, np.flatnonzero(self.owner[:upto] < 0))
        if not len(packets):
            return False
        self.owner[packets[np.flatnonzero(flips == flips.min())[-1]]] = frame
        return True

    def _near(self, frame: int, packets: Ints) -> tuple[Ints, Ints]:
        """Those of these packets that a frame can be, and in how many bits it differs from each."""
        packets = packets[self.room[packets] >= self.length[frame]]
        most, size = int(self.most[frame]), int(self.lengths[frame])
        flips = _flips(self.words, self.sizes, packets, self.bodies[frame], size, most)
        return packets[flips <= most], flips[flips <= most]

    def _in_turn(self, frame: int, tried: set[int]) -> None:
        """An augmenting path (Kuhn 1955): its packet's frame takes another, and so on, until one is free.
        tried: packets that led nowhere; they never will."""
        came: dict[
            int, tuple[int, int]
        ] = {}  # packet -> the frame that wants it, the packet that this one has
        waiting = [(frame, -1)]
        while waiting:
            wanting, has = waiting.pop(0)
            packets, _ = self._near(wanting, np.arange(self.upto[wanting]))
            for packet in packets.tolist():
                if packet in tried or packet in came:
                    continue
                came[packet] = wanting, has
                if self.owner[packet] < 0:
                    while packet >= 0:
                        self.owner[packet], packet = came[packet]
                    return
                waiting.append((int(self.owner[packet]), packet))
        tried.update(came)


def _compared(frames: Frames) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Of each frame the bytes that are compared, as words of eight, filled up with zeros; and how many."""
    kept = np.clip(frames.captured - ETHERNET, 0, _COMPARED)
    found = np.zeros((len(frames), _COMPARED), np.uint8)
    for size in np.unique(kept[kept > 0]).tolist():
        mine = np.flatnonzero(kept == size)
        found[mine, :size] = (
            take(frames.data, frames.offset[mine] + ETHERNET, np.dtype((np.void, size)))
            .view(np.uint8)
            .reshape(-1, size)
        )
    found[:, _CHANGING] = 0
    return found.view(_ORDER), kept


def _flips(
    words: npt.NDArray[np.uint64],
    sizes: Ints,
    which: Ints,
    mine: npt.NDArray[np.uint64],
    size: int,
    most: int,
) -> Ints:
    """In how many bits each of `which` differs from `mine`, as far as both go; of those that differ in more
    than `most`, at least so many."""
    flips, alive = np.zeros(len(which), np.int64), np.arange(len(which))
    for at in range(0, _COMPARED, _WORD):
        rows = which[alive]
        both = np.clip(np.minimum(sizes[rows], size) - at, 0, _WORD)
        if not both.any():
            break
        flips[alive] += np.bitwise_count((words[rows, at // _WORD] ^ mine[at // _WORD]) & _MASKS[both])
        alive = alive[(flips[alive] <= most) & (both == _WORD)]
    return flips
