"""What is wrong with how a port is set: duplex, speed, flow control, interrupts."""

from __future__ import annotations

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.causes.cards import SHARES, share
from labkit.mysteries.patient import PORTS, Patient
from labkit.mysteries.typed import NEXT_HOPS, ethtool, round_trip


def _duplex_mismatch(to: Patient, place: str, severity: str) -> Patient:
    speed = "100mbit" if severity.startswith("100") else "10mbit"
    near, far = PORTS[place]
    return to.with_port(near, speed=speed).with_port(far, speed=speed, autoneg=False)


def _seen_duplex_mismatch(place: str) -> tuple[Witness, ...]:
    ends = [port.split(".") for port in PORTS[place]]
    modes = [Witness("before", host, ethtool("", interface), "Duplex") for host, interface in ends]
    return (*modes, *(Witness("after", h, ethtool("-S ", i), "late_coll|rx_crc") for h, i in ends))


DUPLEX_MISMATCH = Cause(
    "duplex mismatch",
    "One end is fixed to full duplex and does not negotiate: the other end falls back to half.",
    places=("left-r1", "r2-right"),
    severities=("100 Mbit/s", "10 Mbit/s"),
    symptom="Fine with little traffic; losses as soon as both ends send.",
    shows="ethtool on both ends: Duplex: Full here, Half there; "
    "tx_late_collisions at the half, CRC at the full",
    lies="ping, one packet a second: question and answer never meet on the cable.",
    cure="Let both ends negotiate, or fix both.",
    chapter="7",
    change=_duplex_mismatch,
    seen=_seen_duplex_mismatch,
)


def _seen_slow_port(place: str) -> tuple[Witness, ...]:
    host, interface = PORTS[place][1].split(".")
    return (Witness("before", host, ethtool("", interface), "Speed"),)


SLOW_PORT = Cause(
    "slow port",
    "Two of a cable's wires are broken, or a port is old: the ends agree on less than they should.",
    places=("left-r1", "r2-right"),
    severities=("10 Mbit/s",),
    symptom="All traffic has the same low ceiling, and waits in front of it.",
    shows="ethtool: Speed: 10Mb/s",
    lies="No counter of errors moves at all.",
    cure="Replace the cable, ask what the other end advertises.",
    chapter="7",
    change=lambda to, place, severity: to.with_port(PORTS[place][1], speed="10mbit"),
    seen=_seen_slow_port,
)


def _pause_frames(to: Patient, place: str, severity: str) -> Patient:
    near, far = PORTS["r2-right"]
    cost = to.packet_s / share(severity)
    settings = {"pause": True, "rx_ring": 32, "fifo": "8kB"}
    return to.with_port(near, pause=True).with_port(far, packet_cost=cost, **settings)


def _seen_pause_frames(place: str) -> tuple[Witness, ...]:
    ends = [port.split(".") for port in PORTS["r2-right"]]
    return tuple(Witness("after", host, ethtool("-S ", name), "pause") for host, name in ends)


PAUSE_FRAMES = Cause(
    "pause frames",
    "A slow host that does not drop, but stops its neighbour by flow control.",
    places=("right",),
    severities=SHARES,
    symptom="One slow host, and all that shares its cable's other end is slow, too.",
    shows="ethtool -S: tx_pause at the host that stops, rx_pause and tx_paused at its neighbour",
    lies="Losses: there is none anywhere near, the queue is somewhere upstream.",
    cure="Find out why the host is slow; switch flow control off (ethtool -A), so that loss says where.",
    chapter="7",
    change=_pause_frames,
    seen=_seen_pause_frames,
)


def _coalescing(to: Patient, place: str, severity: str) -> Patient:
    port = {"left": "left.eth0", "right": "right.eth0"}[place]
    usecs = 1000 * int(severity.split()[0])
    return to.with_port(port, rx_usecs=usecs, rx_frames=256)


COALESCING = Cause(
    "interrupt coalescing",
    "A card that waits too long before it tells its host of packets.",
    places=("left", "right"),
    severities=("5 ms", "10 ms", "20 ms"),
    symptom="Everything answers late, also at night; nothing is lost.",
    shows="ethtool -c: rx-usecs; ping to the next hop is late already",
    lies="Counters of errors and queues: nothing waits in any of them.",
    cure="ethtool -C: rx-usecs of 50 or less, or adaptive.",
    chapter="7",
    change=_coalescing,
    seen=lambda place: (
        Witness("before", place, ethtool("-c ", "eth0"), "^rx-usecs:"),
        Witness("rest", place, round_trip(NEXT_HOPS[place]), "rtt"),
    ),
)
