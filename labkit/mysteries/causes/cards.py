"""What is wrong with a card or its host: rings, the chip's memory, the host's own."""

from __future__ import annotations

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import PORTS
from labkit.mysteries.typed import COUNTERS, ethtool

_INTO = PORTS["r2-right"][1]
SHARES = ("takes 80 % of the line", "takes 50 % of the line", "takes 25 % of the line")


def share(severity: str) -> float:
    """The number in one of SHARES."""
    return int(severity.split()[1]) / 100


RING_OVERRUN = Cause(
    "ring overrun",
    "The host is too slow for bursts, and its ring too short to keep them.",
    places=("right",),
    severities=SHARES,
    symptom="Slow, although the line is half empty.",
    shows="ethtool -S: rx_missed_errors; ip -s link: missed",
    lies="errors and dropped of ip -s link stay 0, overruns of ifconfig too.",
    cure="Find what the processor does; a longer ring (ethtool -G) only for bursts.",
    chapter="7",
    change=lambda to, place, severity: to.with_port(
        _INTO, rx_ring=16, packet_cost=to.packet_s / share(severity)
    ),
    seen=lambda place: (Witness("after", "right", ethtool("-S ", "eth0"), "rx_missed|rx_fifo"),),
)


FIFO_OVERRUN = Cause(
    "FIFO overrun",
    "The bus between card and memory is slower than the cable.",
    places=("right",),
    severities=SHARES,
    symptom="Slow, although the line is half empty.",
    shows="ethtool -S: rx_fifo_errors; ip -s -s link: fifo, overrun",
    lies="The ring is never full: ethtool -g shows what nobody needs.",
    cure="Another slot, firmware or card; less of what shares the bus.",
    chapter="7",
    change=lambda to, place, severity: to.with_port(_INTO, bus=to.line_rate * share(severity), fifo="4kB"),
    seen=lambda place: (Witness("after", "right", ethtool("-S ", "eth0"), "rx_missed|rx_fifo"),),
)


BROKEN_CHECKSUM = Cause(
    "memory errors",
    "Bits flip in the card after the frame check, and its offload vouched for them: TCP finds some.",
    places=("right",),
    severities=("3e-7", "1e-6", "5e-6"),
    symptom="Slow, and now and then a file is damaged although every transfer ended well.",
    shows="nstat at the receiver: TcpInCsumErrors",
    lies="rx_crc_errors is 0: the frame was whole when it was checked.",
    cure="Replace the card; switch its checksum offload off to be sure (ethtool -K rx off).",
    chapter="6",
    change=lambda to, place, severity: to.with_port(_INTO, memory_ber=float(severity)),
    seen=lambda place: (
        Witness("after", "right", COUNTERS, "TcpInCsumErrors"),
        Witness("after", "right", ethtool("-S ", "eth0"), "rx_crc_errors"),
    ),
)
