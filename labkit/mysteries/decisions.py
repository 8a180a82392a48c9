"""The decision tree: which question comes when, what is read for it, and which cause a yes names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labkit.mysteries import branches as ask
from labkit.mysteries.evidence import Evidence
from labkit.mysteries.examination import Examination

NOTHING = "nothing wrong"


@dataclass(frozen=True)
class Question:
    """One branch. layer: what it is about; tool: what is looked at; text: the question; cause: what a yes
    means. place: of evidence, where; None is a no."""

    layer: str
    tool: str
    text: str
    cause: str
    place: Callable[[Evidence], str | None]


TREE: tuple[Question, ...] = tuple(
    Question(layer, tool, text, cause, place)
    for layer, questions in {
        "mode": (
            ("ethtool", "Is a port in half duplex?", "duplex mismatch", ask.half_duplex),
            ("ethtool", "Is a port slower than it should be?", "slow port", ask.low_speed),
            ("ip -s -s link", "Does a carrier come and go (transns)?", "flapping port", ask.carrier_changes),
        ),
        "optics": (("ethtool -m", "Less light than the module's warning?", "fading optics", ask.weak_light),),
        "CRC": (
            ("ethtool -S", "Does rx_crc_errors count?", "bit errors", ask.crc_errors),
            ("nstat", "Does TcpInCsumErrors count, and no CRC error?", "memory errors", ask.checksum_errors),
        ),
        "overruns": (
            ("ethtool -S", "Does tx_pause count?", "pause frames", ask.pauses),
            ("ethtool -S", "Does rx_missed_errors count?", "ring overrun", ask.missed),
            ("ethtool -S", "Does rx_fifo_errors count?", "FIFO overrun", ask.fifo_errors),
            (
                "ethtool -c, ping",
                "Is the next hop as late as rx-usecs?",
                "interrupt coalescing",
                ask.late_interrupts,
            ),
        ),
        "path": (
            ("tracepath", "Is a hop asymm?", "asymmetric route", ask.other_way_back),
            ("tracepath", "Are there more hops than on the map?", "detour", ask.more_hops),
            ("ping -M do -s 1472", "Are only large packets lost?", "MTU black hole", ask.large_lost),
        ),
        "handshake": (
            ("tcpdump", "Does a box swallow SYNs with ECN?", "ECN SYNs dropped", ask.ecn_syn_lost),
            (
                "tcpdump",
                "Does a SYN lose its wscale on the way?",
                "window scale stripped",
                ask.scale_stripped,
            ),
            ("tcpdump", "Does an end not offer wscale?", "window scaling off", ask.no_scale),
            ("tcpdump", "Does an end not offer sackOK?", "SACK off", ask.no_sack),
            ("nstat", "Does ListenOverflows count?", "small listen backlog", ask.not_accepted),
        ),
        "ECN": (("tcpdump -v", "Does data lose its ECT on the way?", "ECN bleaching", ask.bleached),),
        "line": (
            ("ip -s link, ping", "Lost from r1 to r2, in rows?", "bursty loss", ask.lost_in_rows),
            ("ip -s link", "Lost from r1 to r2, singly?", "random loss", ask.lost_singly),
            ("ip -s link", "Lost from r2 to r1?", "ACK loss", ask.lost_way_back),
            ("ip -s link", "Did more come than was sent?", "duplicated packets", ask.came_twice),
            ("ping", "Are round trips far apart at rest?", "delay spikes", ask.uneven),
        ),
        "buffers": (
            ("tc -s qdisc", "Does an ingress qdisc drop?", "policer", ask.ingress_drops),
            ("tc -s qdisc", "Does a queue of a few packets drop?", "short queue", ask.short_queue),
            ("ping under load", "Is it far later than at rest?", "bufferbloat", ask.late_under_load),
            ("tc -s qdisc", "Does it drop, and most was not ours?", "full queue", ask.others_packets),
            ("nstat, ping", "Out of order, and nothing lost?", "reordering", ask.overtaking),
        ),
        "sockets": (
            ("ss", "rwnd_limited, and Recv-Q full?", "slow reader", ask.reader_late),
            ("ss", "rwnd_limited, a second program, too?", "small receive window", ask.window_of_all),
            ("ss", "rwnd_limited, only this program?", "small receive buffer", ask.window_of_one),
            ("ss", "sndbuf_limited, a second program, too?", "small send memory", ask.memory_of_all),
            ("ss", "sndbuf_limited, only this program?", "small send buffer", ask.memory_of_one),
        ),
    }.items()
    for tool, text, cause, place in questions
)
"""From the cable up: the first yes is the answer."""


@dataclass(frozen=True)
class Finding:
    """What the tree says: cause and place, and how many questions it asked, the last one being the yes.
    cause is "nothing wrong", place "" if all were answered with no."""

    cause: str
    place: str
    asked: tuple[Question, ...]

    def __repr__(self) -> str:
        where = f" at {self.place}" if self.place else ""
        return f"<{self.cause}{where}, after {len(self.asked)} questions>"


def solve(examination: Examination) -> Finding:
    """Ask the tree's questions of what the tools printed."""
    evidence = Evidence(examination)
    for number, question in enumerate(TREE, 1):
        place = question.place(evidence)
        if place is not None:
            return Finding(question.cause, place, TREE[:number])
    return Finding(NOTHING, "", TREE)
