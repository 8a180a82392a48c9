"""What is wrong with a program, and with no network at all."""

from __future__ import annotations

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.typed import SOCKETS

_WINDOW = r"delivery_rate \d+bps|rwnd_limited:\S+|snd_wnd:\d+"
_MEMORY = r"skmem:\S+|delivery_rate \d+bps|sndbuf_limited:\S+"


SLOW_READER = Cause(
    "slow reader",
    "The program at the receiver cannot keep up: its disk, its database, its loop.",
    places=("right",),
    severities=("10 Mbit/s", "5 Mbit/s", "2 Mbit/s"),
    symptom="This program is slow, others are not.",
    shows="ss at the receiver: Recv-Q full; at the sender rwnd_limited",
    lies="snd_wnd: it is hardly ever 0 when you look.",
    cure="Look into the program; a larger buffer changes nothing for long.",
    chapter="14",
    change=lambda to, place, severity: to.with_transfer(
        read_rate=int(severity.split()[0]) * 10**6, rcvbuf=200_000
    ),
    seen=lambda place: (
        Witness("during", "left", SOCKETS, _WINDOW, only=True),
        Witness("during", "right", SOCKETS, "ESTAB"),
    ),
)


SMALL_RECEIVE_BUFFER = Cause(
    "small receive buffer",
    "The program at the receiver sets SO_RCVBUF, and with that switches Linux's own growth off.",
    places=("right",),
    severities=("32 kB", "16 kB", "8 kB"),
    symptom="This program has a steady, low rate; others are fast.",
    shows="ss -ti at the sender: rwnd_limited, small snd_wnd, Recv-Q empty; not so for a second program",
    lies="net.ipv4.tcp_rmem: it does not hold for who asks for a size.",
    cure="Leave SO_RCVBUF out of the program.",
    chapter="14",
    change=lambda to, place, severity: to.with_transfer(rcvbuf=1000 * int(severity.split()[0])),
    seen=lambda place: (
        Witness("during", "left", SOCKETS, _WINDOW, only=True),
        Witness("check", "left", SOCKETS, _WINDOW, only=True),
    ),
)


SMALL_SEND_BUFFER = Cause(
    "small send buffer",
    "The program at the sender sets SO_SNDBUF.",
    places=("left",),
    severities=("64 kB", "32 kB", "16 kB"),
    symptom="This program has a steady, low rate; others are fast.",
    shows="ss -ti at the sender: sndbuf_limited; not so for a second program",
    lies="net.ipv4.tcp_wmem: it does not hold for who asks for a size.",
    cure="Leave SO_SNDBUF out of the program.",
    chapter="14",
    change=lambda to, place, severity: to.with_transfer(sndbuf=1000 * int(severity.split()[0])),
    seen=lambda place: (
        Witness("during", "left", SOCKETS, _MEMORY, only=True),
        Witness("check", "left", SOCKETS, _MEMORY, only=True),
    ),
)
