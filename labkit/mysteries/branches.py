"""The questions of the decision tree, from the cable upwards. Each names a place from evidence, or None.

A question may rely on all before it having been answered with no: CRC errors at a port in half duplex are
collisions, and light that is too weak makes CRC errors, too.
"""

from __future__ import annotations

from labkit.mysteries.evidence import Evidence
from labkit.mysteries.patient import PORTS
from labkit.mysteries.readings import ethtool_text
from labkit.mysteries.typed import AROUND

FULL_SPEED_MBIT = 100  # what both cables are sold as
LONG_USECS = 1000
CABLES = {"left-r1": ("left", "r1"), "r2-right": ("r2", "right")}
LATE = 3.0  # times the round trip without a transfer
UNEVEN_MS = 50.0
MOSTLY = 0.5
MANY = 1.5  # times as many bytes as were ours
FEW_PACKETS = 20
IN_ROWS = 2.0  # missing pings in a row, in the mean; at 5 ms each


def _cable(evidence: Evidence, wrong: object) -> str | None:
    """The first cable at one of whose ends something is wrong (host -> bool)."""
    assert callable(wrong)
    return next((cable for cable, ends in CABLES.items() if any(wrong(host) for host in ends)), None)


def half_duplex(evidence: Evidence) -> str | None:
    """Half duplex, which nobody wants today."""
    return _cable(evidence, lambda host: ethtool_text.duplex(evidence.card(host)) == "Half")


def low_speed(evidence: Evidence) -> str | None:
    """A speed below what card and cable can."""
    speeds = {host: ethtool_text.speed_mbit(evidence.card(host)) for host in sum(CABLES.values(), ())}
    return _cable(evidence, lambda host: (speeds[host] or FULL_SPEED_MBIT) < FULL_SPEED_MBIT)


def carrier_changes(evidence: Evidence) -> str | None:
    """A carrier that came and went since it first came."""
    ports = {cable: [port.split(".") for port in ends] for cable, ends in PORTS.items()}
    return next(
        (
            cable
            for cable, ends in ports.items()
            if any(evidence.interface(host, name).transitions > 2 for host, name in ends)
        ),
        None,
    )


def weak_light(evidence: Evidence) -> str | None:
    """Less light than the module's own threshold of a warning."""

    def weak(host: str) -> bool:
        said = evidence.card(host, "-m ")
        power, least = ethtool_text.received_dbm(said), ethtool_text.least_dbm(said)
        return power is not None and least is not None and power < least

    return _cable(evidence, weak)


def crc_errors(evidence: Evidence) -> str | None:
    """Frames whose check failed."""
    return _cable(evidence, lambda host: evidence.card_counters(host)["rx_crc_errors"] > 0)


def _host(evidence: Evidence, counter: str) -> str | None:
    hosts = ("left", "r1", "r2", "right")
    return next((host for host in hosts if evidence.card_counters(host)[counter] > 0), None)


def pauses(evidence: Evidence) -> str | None:
    """A host that tells its neighbour to stop."""
    return _host(evidence, "tx_pause")


def missed(evidence: Evidence) -> str | None:
    """Frames for which the ring had no descriptor."""
    return _host(evidence, "rx_missed_errors")


def fifo_errors(evidence: Evidence) -> str | None:
    """Frames for which the chip had no room."""
    return _host(evidence, "rx_fifo_errors")


def checksum_errors(evidence: Evidence) -> str | None:
    """Packets damaged after the frame's check: TCP's own sum is wrong."""
    hosts = ("left", "right")
    return next((host for host in hosts if evidence.counters(host)["TcpInCsumErrors"] > 0), None)


def late_interrupts(evidence: Evidence) -> str | None:
    """A card that may wait for milliseconds, and a next hop that is as late."""
    for host in ("left", "right"):
        usecs = ethtool_text.rx_usecs(evidence.card(host, "-c "))
        if usecs >= LONG_USECS and evidence.next_hop(host).median_ms >= usecs / 2000:
            return host
    return None


def other_way_back(evidence: Evidence) -> str | None:
    """Answers that took another number of hops than the question."""
    return "r2" if evidence.trace.asymmetric else None


def more_hops(evidence: Evidence) -> str | None:
    """More hops than the map has: left, r1, r2, right."""
    return "r1" if len(evidence.trace.hops) > 3 else None


def large_lost(evidence: Evidence) -> str | None:
    """Large packets that may not be cut are all lost, small ones are not; the last router that answered."""
    if len(evidence.large_ping.answered) or not evidence.ping.answered:
        return None
    return {1: "r1", 2: "r2"}.get(len(evidence.trace.hops))


def ingress_drops(evidence: Evidence) -> str | None:
    """Drops of a qdisc that queues nothing: a policer."""
    return next(
        (
            host
            for host in ("r1", "r2")
            if any(one.kind == "ingress" and one.dropped for one in evidence.queues(host))
        ),
        None,
    )


def ecn_syn_lost(evidence: Evidence) -> str | None:
    """A SYN that asks for ECN is repeated though no queue overflows: the first box that it did not pass."""
    if evidence.counters("left")["TcpExtTCPSynRetrans"] == 0 or _overflowing(evidence):
        return None
    for host, (before, behind) in AROUND.items():
        came, left = (
            any(one.syn and "E" in one.flags for one in evidence.seen(*place)) for place in (before, behind)
        )
        if came and not left:
            return host
    return None


def _option_gone(evidence: Evidence, option: str) -> str | None:
    """The box after which a SYN lacks an option that it had before."""
    for host, (before, behind) in AROUND.items():
        had = any(one.syn and option in one.rest for one in evidence.seen(*before))
        has = any(one.syn and option in one.rest for one in evidence.seen(*behind))
        if had and not has:
            return host
    return None


def scale_stripped(evidence: Evidence) -> str | None:
    """A SYN that leaves with wscale and comes without."""
    return _option_gone(evidence, "wscale")


def _end_without(evidence: Evidence, option: str) -> str | None:
    """The end that does not offer an option: SYN as it left, SYN/ACK as it came out of the server."""
    syns = [one for one in evidence.seen("left", "eth0") if one.syn]
    if syns and option not in syns[0].rest:
        return "left"
    answers = [one for one in evidence.seen("r2", "eth2") if one.syn_ack]
    asked = any(one.syn and option in one.rest for one in evidence.seen("r2", "eth2"))
    return "right" if asked and answers and option not in answers[0].rest else None


def no_scale(evidence: Evidence) -> str | None:
    """An end that does not offer window scaling."""
    return _end_without(evidence, "wscale")


def no_sack(evidence: Evidence) -> str | None:
    """An end that does not offer SACK."""
    return _end_without(evidence, "sackOK")


def bleached(evidence: Evidence) -> str | None:
    """Data that left marked as able to carry marks, and came out of a box without."""
    for host, (before, behind) in AROUND.items():
        had = any(one.ecn for one in evidence.seen(*before) if one.data)
        data = [one for one in evidence.seen(*behind) if one.data]
        if had and data and not any(one.ecn for one in data):
            return host
    return None


def not_accepted(evidence: Evidence) -> str | None:
    """Connections for which a listening socket had no room."""
    return "right" if evidence.counters("right")["TcpExtListenOverflows"] > 0 else None


def lost_way_there(evidence: Evidence) -> int:
    """Packets that r1 has sent and r2 has not received."""
    return evidence.line("r1").tx_packets - evidence.line("r2").rx_packets


def lost_in_rows(evidence: Evidence) -> str | None:
    """Lost on the line, and pings are missing several in a row."""
    runs = evidence.ping.runs
    in_rows = bool(runs) and sum(runs) / len(runs) >= IN_ROWS
    return "r1-r2" if lost_way_there(evidence) > 0 and in_rows else None


def lost_singly(evidence: Evidence) -> str | None:
    """Lost on the line, one here and one there."""
    return "r1-r2" if lost_way_there(evidence) > 0 else None


def lost_way_back(evidence: Evidence) -> str | None:
    """r2 has sent more than r1 has received."""
    lost = evidence.line("r2").tx_packets - evidence.line("r1").rx_packets
    return "r1-r2" if lost > 0 else None


def came_twice(evidence: Evidence) -> str | None:
    """r2 has received more than r1 has sent."""
    return "r1-r2" if lost_way_there(evidence) < 0 else None


def overtaking(evidence: Evidence) -> str | None:
    """Packets out of order, and none lost."""
    late = evidence.counters("right")["TcpExtTCPOFOQueue"] + evidence.ping.overtaken
    return "r1-r2" if late > 0 and not _dropping(evidence) else None


def uneven(evidence: Evidence) -> str | None:
    """Round trips far apart while nobody sends."""
    return "r1-r2" if evidence.ping.most_ms - evidence.ping.least_ms > UNEVEN_MS else None


def _dropping(evidence: Evidence) -> bool:
    return any(one.dropped for one in evidence.waiting("r1"))


def _overflowing(evidence: Evidence) -> bool:
    """A queue that drops whatever comes, a SYN, too."""
    return any(one.dropped and one.kind.endswith("fifo") for one in evidence.waiting("r1"))


def short_queue(evidence: Evidence) -> str | None:
    """A queue that drops, and has room for a few packets only."""
    short = any(one.dropped and one.limit < FEW_PACKETS for one in evidence.waiting("r1"))
    return "r1" if short else None


def late_under_load(evidence: Evidence) -> str | None:
    """Pings beside a transfer far later than without, for a queue that hardly drops."""
    return "r1" if evidence.loaded_ping.median_ms > LATE * evidence.ping.median_ms else None


def others_packets(evidence: Evidence) -> str | None:
    """A queue that drops, and most of what it has sent was not ours."""
    ours = evidence.interface("left", "eth0").tx_packets
    sent = sum(one.sent for one in evidence.waiting("r1"))
    return "r1" if _dropping(evidence) and sent > MANY * ours else None


def _limited(evidence: Evidence, by: str, when: str) -> bool:
    sender = evidence.transfer("left", when)
    return sender is not None and sender.share(by) > MOSTLY


def reader_late(evidence: Evidence) -> str | None:
    """The sender waits for the window, and bytes wait for the reader."""
    end = evidence.transfer("right")
    full = end is not None and end.recv_q > 10 * end.values.get("rcvmss", 1448)
    return "right" if full and _limited(evidence, "rwnd_limited", "during") else None


def window_of_all(evidence: Evidence) -> str | None:
    """The sender waits for the window, whichever program receives."""
    both = [_limited(evidence, "rwnd_limited", when) for when in ("during", "check")]
    return "right" if all(both) else None


def window_of_one(evidence: Evidence) -> str | None:
    """The sender waits for the window of this program."""
    return "right" if _limited(evidence, "rwnd_limited", "during") else None


def memory_of_all(evidence: Evidence) -> str | None:
    """The sender waits for its own buffer, whichever program sends."""
    both = [_limited(evidence, "sndbuf_limited", when) for when in ("during", "check")]
    return "left" if all(both) else None


def memory_of_one(evidence: Evidence) -> str | None:
    """The sender waits for the buffer of this program."""
    return "left" if _limited(evidence, "sndbuf_limited", "during") else None
