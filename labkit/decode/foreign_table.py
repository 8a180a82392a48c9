"""The packet table of a capture that was made elsewhere."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from labkit.decode import connections
from labkit.decode.foreign_headers import ForeignFrames, Seen, dissected, offloaded
from labkit.decode.frames import Frames
from labkit.decode.headers import Headers
from labkit.decode.kept_headers import BAD, UNKNOWN, Checksums, checksum_states, gathered
from labkit.decode.streams import streams

UNITS = connections.UNITS | {
    "time_s": "s since the first packet of the file",
    "interface": "name of the file",
    "direction": "missing: not known",
    "flow": "missing: not known",
    "way": "missing: not known",
    "src": "IPv4 or IPv6 address; missing: neither, or cut off",
    "dst": "likewise",
    "protocol": "tcp, udp, icmp or its number; missing: not IP, or cut off",
    "ip_id": "identification in the IPv4 header; -1: none",
    "seq": "first sequence number, counted from the SYN's, which is 0; beyond 2^32 it goes on; -1: cut off",
    "ack": "next sequence number expected, counted likewise; 0 without an ACK flag; -1: cut off",
    "flags": "letters of FSRPAUECN as scapy has them; missing: cut off",
    "window": "bytes, scaled if the SYN that says how was captured (RFC 7323); -1: cut off",
    "sacks": "SACK blocks in the packet; -1: options were cut off before any",
    "payload": "bytes behind the TCP or UDP header, of other packets behind the IP header; -1: cut off",
    "length": "bytes of the frame, link header included",
    "checksum": "of IPv4 and TCP, UDP or ICMP: good, bad; unknown: not all of it was kept, a fragment, or "
    "left to the sender's network card",
}


def foreign_table(frames: ForeignFrames, name: str) -> tuple[pd.DataFrame, Counter[str]]:
    """One row per frame, in the order of the file, columns as in UNITS; and how many frames were of which
    kind that is not understood. name: of the one interface."""
    seen = Seen()
    kept, ends, checksum = gathered(frames, dissected(frames, seen), _checksum_states)
    directions = streams(kept, ends.directions())
    known = seen.text()

    def address(number: int) -> str | None:
        return known[number] if number in known else connections.address_of(number)

    table = connections.table_of(frames, kept, directions, checksum, {0: name}, address=address)
    table["direction"] = table["direction"].cat.remove_categories(["in", "out"])
    return table, seen.strange


def _checksum_states(frames: Frames, headers: Headers) -> Checksums:
    state = checksum_states(frames, headers)
    bad = np.flatnonzero(state == BAD)
    state[bad[offloaded(frames, headers, bad)]] = UNKNOWN
    return state
