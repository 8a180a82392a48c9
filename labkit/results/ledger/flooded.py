"""What a switch makes that is no loss: copies of a frame at hosts that it is not for, while the switch does
not know where its host is; its own copy of each broadcast; and messages of the spanning tree protocol, which
are freed once they are read.
"""

from __future__ import annotations

import numpy as np

from labkit.decode.drop_monitor import Drops
from labkit.decode.headers import ETHERNET, Flags
from labkit.decode.raw import take
from labkit.results.tables import Tables

FLOODED = "flooded"
OTHER_HOST = "OTHERHOST"
OF_A_SWITCH = ("br_stp_rcv", "br_pass_frame_up")


def flooded(result: Tables, drops: Drops) -> Flags:
    """Which drops are of frames that came to a host and are for another one of the network. Without switches
    none is: there it is a flipped bit that makes such a frame."""
    found = np.zeros(len(drops.frames), bool)
    layout = result.manifest["layout"]
    if not any("forwards" in host for host in layout["hosts"].values()):
        return found
    whole = np.asarray(drops.reason == OTHER_HOST) & (drops.frames.captured >= ETHERNET)
    rows = np.flatnonzero(whole)
    macs = {int(one["mac"].replace(":", ""), 16) for one in layout["interfaces"]}
    to = take(drops.frames.data, drops.frames.offset[rows], np.dtype(">u8")) >> np.uint64(16)
    found[rows] = np.isin(to.astype(np.int64), sorted(macs))
    return found
